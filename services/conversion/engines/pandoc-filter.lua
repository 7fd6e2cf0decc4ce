-- Pictures and titles. A picture is kept when the document brought it along; for web pages it is embedded, and a
-- picture elsewhere on the web stays a reference. Anything else is replaced by its description and counted on stderr.
local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local removed = 0
local keeps_media = { docx = true, odt = true, pptx = true, epub = true, epub3 = true, fb2 = true, ipynb = true }
local keeps_references = { gfm = true, markdown = true, commonmark = true, html = true, html5 = true }

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

-- JSON is what a later run reads, which has no other way to get the pictures.
local function embeds() return FORMAT == "json" or FORMAT:match("^html") ~= nil end

function Image(image)
  if image.src:match("^data:image/") then
    if keeps_media[FORMAT] or embeds() then return nil end
  elseif not image.src:match("^%a[%w+.-]+:") then
    local kind, bytes = pandoc.mediabag.lookup(image.src)
    if bytes and keeps_media[FORMAT] then return nil end
    if bytes and embeds() then
      image.src = "data:" .. (kind or "image/png") .. ";base64," .. base64(bytes)
      return image
    end
  elseif image.src:match("^https?://") and (keeps_references[FORMAT] or FORMAT:match("^markdown")) then
    return nil
  end
  removed = removed + 1
  return image.caption
end

-- An outline holds what is under headings, and loses what is in a division.
local function outlined(blocks)
  local found = pandoc.List()
  for _, block in ipairs(blocks) do
    if block.t == "Div" then found:extend(outlined(block.content)) else found:insert(block) end
  end
  return found
end

function Pandoc(document)
  -- UTF-16 that is taken for UTF-8.
  if pandoc.utils.stringify(document):find("\0", 1, true) then io.stderr:write("filemill:zeros\n") end
  if FORMAT == "opml" then
    document.blocks = outlined(document.blocks)
    local first = document.blocks[1]
    if first and first.t ~= "Header" then
      local title = document.meta.title and pandoc.utils.stringify(document.meta.title) or ""
      document.blocks:insert(1, pandoc.Header(1, title ~= "" and title or "Document"))
    end
  end
  if removed > 0 then io.stderr:write("filemill:images-removed=" .. removed .. "\n") end
  if document.meta.title == nil or pandoc.utils.stringify(document.meta.title) == "" then
    local title
    for _, block in ipairs(document.blocks) do
      if block.t == "Header" then title = pandoc.utils.stringify(block) break end
    end
    if FORMAT:match("^html") then document.meta.pagetitle = title or "Document"
    elseif FORMAT:match("^epub") or FORMAT == "fb2" then document.meta.title = title or "Document" end
  end
  return document
end

-- How these say a bar that ends no cell; their writers leave it as it is.
local bars = { asciidoc = "{vbar}", org = "\\vert{}", jira = "\\|", dokuwiki = "%%|%%" }

function Table(table)
  local bar = bars[FORMAT]
  if not bar then return nil end
  local function escaped(text)
    if not text.text:find("|", 1, true) then return nil end
    local parts = pandoc.List()
    for before, mark in text.text:gmatch("([^|]*)(|?)") do
      if before ~= "" then parts:insert(pandoc.Str(before)) end
      if mark ~= "" then parts:insert(pandoc.RawInline(FORMAT, bar)) end
    end
    return parts
  end
  return pandoc.walk_block(table, { Str = escaped })
end

return { { Image = Image }, { Table = Table }, { Pandoc = Pandoc } }
