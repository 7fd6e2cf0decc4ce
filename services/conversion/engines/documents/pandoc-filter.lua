-- Adapts a document to its target. A picture that came with the document is kept, or embedded in web pages and Markdown, where a
-- picture elsewhere on the web stays a link. Any other is replaced by its description and counted on stdout, because the log on stderr may be long.
local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local removed = 0
local keeps_media = { docx = true, odt = true, pptx = true, epub = true, epub3 = true, fb2 = true, ipynb = true }
local is_markdown = FORMAT:match("^gfm") ~= nil or FORMAT:match("^commonmark") ~= nil
local describes = false
-- What every Markdown viewer shows.
local shown = { ["image/png"] = true, ["image/jpeg"] = true, ["image/gif"] = true, ["image/webp"] = true, ["image/svg+xml"] = true }
local keeps_references = { gfm = true, markdown = true, commonmark = true, html = true, html5 = true }

-- Named as on the host, where the weaker sandbox leaves them.
local function part(name) return dofile((PANDOC_SCRIPT_FILE:gsub("[%w-]+%.lua$", name))) end
local names, metadata, drawable = part("pandoc-names.lua"), part("pandoc-metadata.lua"), part("pandoc-tables.lua")
local embedded = part("pandoc-embedded.lua")

local function base64(bytes)
  local parts = {}
  for start = 1, #bytes, 3 do
    local a, b, c = bytes:byte(start, start + 2)
    local bits = (a << 16) | ((b or 0) << 8) | (c or 0)
    local function letter(shift) local place = ((bits >> shift) & 63) + 1; return alphabet:sub(place, place) end
    parts[#parts + 1] = letter(18) .. letter(12) .. (b and letter(6) or "=") .. (c and letter(0) or "=")
  end
  return table.concat(parts)
end

-- A program of ours reads the JSON and has no other way to get the pictures.
local function embeds(kind)
  if is_markdown then return not describes and (kind == nil or shown[kind]) end
  return FORMAT == "json" or FORMAT:match("^html") ~= nil
end

-- The writer of OpenDocument leaves out descriptions. That of a figure is its caption, which stays; it has a block of its own from version 3.
local described = {}
local function stored(image)
  if FORMAT ~= "odt" or #image.caption == 0 or image.title:sub(1, 4) == "fig:" then return end
  local text = pandoc.utils.stringify(image.caption)
  described[text] = (described[text] or 0) + 1
end

function Figure(figure)
  local text = pandoc.utils.stringify(figure.caption.long)
  if described[text] then described[text] = described[text] - 1 end
end

function Image(image)
  -- A size would turn it into HTML.
  if is_markdown then image.attr = pandoc.Attr() image.title = "" end
  -- With an empty description, screen readers skip a picture that nobody described.
  if FORMAT:match("^html") and #image.caption == 0 and not image.attributes.alt then image.attributes.alt = "" end
  if image.src:match("^data:image/") then
    if keeps_media[FORMAT] then stored(image) image.src = embedded.stored(image.src) return image end
    if embeds(image.src:match("^data:([%w/+.-]+)")) then return image end
  elseif not image.src:match("^%a[%w+.-]+:") then
    local kind, bytes = pandoc.mediabag.lookup(image.src)
    if bytes and keeps_media[FORMAT] then stored(image) return nil end
    if bytes and embeds(kind) then
      image.src = "data:" .. (kind or "image/png") .. ";base64," .. base64(bytes)
      return image
    end
  elseif image.src:match("^https?://") and (is_markdown or keeps_references[FORMAT] or FORMAT:match("^markdown")) then
    return image
  end
  removed = removed + 1
  local told = pandoc.List({ pandoc.Space() })
  told:extend(image.caption)
  if #told > 1 then told:insert(pandoc.Space()) end
  return told
end

-- UTF-16 that was read as UTF-8 has zeros near its beginning.
local function is_utf16(document)
  for place = 1, math.min(#document.blocks, 10) do
    if pandoc.utils.stringify(document.blocks[place]):find("\0", 1, true) then return true end
  end
  return false
end

function Pandoc(document)
  if is_utf16(document) then print("filemill:zeros") end
  for _, count in pairs(described) do if count > 0 then print("filemill:descriptions") break end end
  if FORMAT == "opml" then document.blocks = part("pandoc-sections.lua").outlined(document.blocks) end
  if FORMAT == "fb2" then
    local blocks, cover = part("pandoc-sections.lua").sectioned(document.blocks)
    document.blocks = blocks
    document.meta["cover-image"] = document.meta["cover-image"] or cover
  end
  if FORMAT:match("^epub") or FORMAT:match("^html") then document = names.own(document) end
  if removed > 0 then
    print("filemill:images-removed=" .. removed)
    document = part("pandoc-spaces.lua")(document)
  end
  metadata.finish(document)
  return document
end

local markdown_table

function Table(table)
  if is_markdown then
    -- The writer would repeat the caption of a table that becomes HTML.
    local caption = table.caption.long
    table.caption = { long = {}, short = nil }
    local made = FORMAT:match("^gfm") and markdown_table(table) or table
    return #caption > 0 and { made, pandoc.Div(caption) } or made
  end
  return drawable(table)
end

-- Formats whose lists have plain numbers only, and those whose lists always start with 1.
local plain_numbers = { org = true, dokuwiki = true, haddock = true, jira = true, xwiki = true, zimwiki = true }
local from_one = { dokuwiki = true, jira = true, xwiki = true, zimwiki = true }
local has_lost_labels = false

function OrderedList(list)
  local is_plain = list.style == "DefaultStyle" or list.style == "Decimal" or list.style == "Example"
  if not is_plain and (is_markdown or plain_numbers[FORMAT]) or from_one[FORMAT] and list.start ~= 1 then
    if not has_lost_labels then print("filemill:list-labels") end
    has_lost_labels = true
  end
end

-- Tracked changes and comments, for `changes=all`. Markdown has syntax for struck-out text only.
local is_hypertext = is_markdown or FORMAT:match("^html") ~= nil
local function revised(span)
  if span.classes:includes("insertion") then
    if not is_hypertext then return { pandoc.Underline(span.content) } end
    local marked = pandoc.List({ pandoc.RawInline("html", "<ins>") })
    marked:extend(span.content)
    marked:insert(pandoc.RawInline("html", "</ins>"))
    return marked
  end
  if span.classes:includes("deletion") then return { pandoc.Strikeout(span.content) } end
  if span.classes:includes("comment-start") then
    local said = pandoc.List({ pandoc.Strong({ pandoc.Str(span.attributes.author or "") }), pandoc.Str(":"), pandoc.Space() })
    said:extend(span.content)
    return { pandoc.Note({ pandoc.Para(said) }) }
  end
  if span.classes:includes("comment-end") or span.classes:includes("paragraph-insertion") or span.classes:includes("paragraph-deletion") then
    return {}
  end
end

-- A wiki's marker for the place of its footnotes, which go to the end.
function RawBlock(raw)
  if raw.text:match("^<references") then return {} end
end

-- Line breaks and pictures that Markdown has as HTML.
function RawInline(raw)
  if is_markdown or FORMAT:match("^html") or not raw.format:match("^html") then return nil end
  if raw.text:match("^<[bB][rR]%s*/?>$") then return pandoc.LineBreak() end
  local first = raw.text:match("^<[iI][mM][gG]%s") and pandoc.read(raw.text, "html").blocks[1]
  local picture = first and first.content and first.content[1]
  if picture and picture.t == "Image" then return Image(picture) or picture end
  -- These writers would log every tag, which takes minutes for a book in ruby.
  if FORMAT == "docx" or FORMAT == "odt" or FORMAT == "pptx" then return {} end
end

-- What browsers do not show, in HTML inside other markup.
local is_seen, has_told_hidden = false, false
local function is_hidden(element)
  if is_seen then return false end
  local style = (element.attributes.style or ""):lower()
  local is_unseen = element.attributes.hidden or style:match("%f[%w-]display%s*:%s*none") or style:match("%f[%w-]visibility%s*:%s*hidden")
  if not is_unseen or FORMAT:match("^html") or FORMAT:match("^epub") then return false end
  if not has_told_hidden then print("filemill:hidden") end
  has_told_hidden = true
  return true
end

function Span(span)
  if is_hidden(span) then return {} end
  local made = revised(span)
  if made then return made end
  -- Anchors and classes would become HTML in the text.
  if is_markdown then return span.content end
end

-- The form in which GitHub and others read formulas. Pandoc's writer would escape their characters.
function Math(math)
  if not FORMAT:match("^gfm") then return nil end
  local mark = math.mathtype == "DisplayMath" and "$$" or "$"
  return pandoc.RawInline("html", mark .. math.text:gsub("^%s+", ""):gsub("%s+$", "") .. mark)
end

-- Escapes a dollar sign that could be taken for the end of a formula, an ampersand of an entity, and the name of an emoji.
function Str(word)
  if not is_markdown or not word.text:find("[$&:]") then return nil end
  local is_github = FORMAT:match("^gfm") ~= nil
  local parts, at = pandoc.List(), 1
  for place, sign in word.text:gmatch("()([$&:])") do
    local ends_formula = sign == "$" and is_github and place > 1 and not word.text:match("^%d", place + 1)
    local name = sign == ":" and is_github and word.text:match("^[%w_+-]+:", place + 1)
    local is_emoji = name and pandoc.read(":" .. name, "commonmark+emoji").blocks[1].content[1].t == "Span"
    if ends_formula or is_emoji or (sign == "&" and word.text:match("^#?%w+;", place + 1)) then
      if place > at then parts:insert(pandoc.Str(word.text:sub(at, place - 1))) end
      parts:insert(pandoc.RawInline("html", "\\" .. sign))
      at = place + 1
    end
  end
  if at <= #word.text then parts:insert(pandoc.Str(word.text:sub(at))) end
  return parts
end

-- Only dashes would become a line.
function Para(paragraph)
  local text = is_markdown and #paragraph.content == 1 and paragraph.content[1].text or ""
  if text:match("^%-%-%-+$") then return pandoc.Para({ pandoc.RawInline("html", "\\" .. text) }) end
end

-- In RST, headings are only outside of containers.
function Div(division)
  if is_hidden(division) then return {} end
  if is_markdown then return division.content end
  local headings = division.content:filter(function(block) return block.t == "Header" end)
  if FORMAT ~= "rst" or #headings == 0 then return nil end
  local blocks = division.content
  -- With a line break, a name could go on as a directive.
  if division.identifier:match("^[^%s`]+$") then blocks:insert(1, pandoc.RawBlock("rst", (".. _`%s`:\n\n"):format(division.identifier))) end
  return blocks
end

-- Classes would turn a link into HTML. A link without text or to a script leads nowhere. Office programs underline links, which
-- Markdown viewers do themselves, and leave characters unescaped that no URL may contain (RFC 3986, section 2).
function Link(link)
  if not is_markdown then return nil end
  if #link.content == 0 or link.target:lower():match("^%s*javascript:") then return link.content end
  link.attr = pandoc.Attr()
  link.content = link.content:walk({ Underline = function(underlined) return underlined.content end })
  link.target = link.target:gsub('[ "<>]', function(sign) return ("%%%02X"):format(sign:byte()) end)
  return link
end

-- Joins the paragraphs of a cell by line breaks, because blocks would turn the table into HTML. Nil if it has other blocks.
local function line_of(blocks)
  local line = pandoc.List()
  for place, block in ipairs(blocks) do
    if block.t ~= "Para" and block.t ~= "Plain" then return nil end
    if place > 1 then line:insert(pandoc.RawInline("html", "<br>")) end
    for _, each in ipairs(block.content) do
      if each.t == "LineBreak" then line:insert(pandoc.RawInline("html", "<br>")) else line:insert(each) end
    end
  end
  return line
end

local function flat_row(row)
  for _, cell in ipairs(row.cells) do
    local line = #cell.contents > 0 and line_of(cell.contents)
    if line then cell.contents = { pandoc.Plain(line) } end
  end
  return row
end

-- A table in GitHub's Markdown always has a head, so the first row becomes one if there is none. It cannot express widths.
function markdown_table(given)
  local rows = pandoc.List(given.head.rows):map(flat_row)
  for _, body in ipairs(given.bodies) do
    local own = pandoc.List(body.head)
    own:extend(body.body)
    own = own:map(flat_row)
    -- What spans rows cannot leave the head.
    local spans = #own > 0 and #own[1].cells:filter(function(cell) return cell.row_span > 1 end) > 0
    if #rows == 0 and #own > 0 and not spans then rows:insert(own:remove(1)) end
    body.head, body.body = {}, own
  end
  -- A bar in a formula would end the cell.
  local function unbarred(raw) if raw.text:match("^%$") then return pandoc.RawInline("html", (raw.text:gsub("|", "\\vert "))) end end
  given.head = pandoc.TableHead(rows, given.head.attr)
  given.foot = pandoc.TableFoot(pandoc.List(given.foot.rows):map(flat_row), given.foot.attr)
  given.colspecs = pandoc.List(given.colspecs):map(function(column) return { column[1], nil } end)
  return pandoc.walk_block(given, { RawInline = unbarred })
end

local function other(name) return { Pandoc = part(name) } end

return {
  other("pandoc-raw-html.lua"), other("pandoc-footnotes.lua"), other("pandoc-citations.lua"),
  { Meta = function(meta)
    describes, meta["filemill-pictures"] = meta["filemill-pictures"] ~= nil, nil
    is_seen, meta["filemill-seen"] = meta["filemill-seen"] ~= nil, nil
    if meta["filemill-source"] then embedded.open(pandoc.utils.stringify(meta["filemill-source"])) end
    meta["filemill-source"] = nil
    return metadata.read(meta)
  end },
  { Image = Image, Link = Link, Span = Span, Div = Div, Figure = Figure, RawBlock = RawBlock, RawInline = RawInline, Math = Math, Str = Str, Para = Para, OrderedList = OrderedList },
  { Header = names.Header, Table = Table }, { Pandoc = Pandoc },
  { Pandoc = function(document) return not keeps_media[FORMAT] and embedded.write(document) or nil end },
  other("pandoc-structures.lua"), other("pandoc-escapes.lua"),
}
