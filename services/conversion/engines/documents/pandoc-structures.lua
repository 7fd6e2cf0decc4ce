-- What pandoc's writers leave out, or write as something that the target does not know.
local has_roles = false

local function is_text(block) return block ~= nil and (block.t == "Para" or block.t == "Plain") end
local function lines_of(blocks) return pandoc.utils.blocks_to_inlines(blocks, { pandoc.LineBreak() }) end
local function raw(text) return pandoc.RawInline(FORMAT, text) end

local function Note(note)
  note.content = pandoc.Div(note.content):walk({ Div = function(division) return division.content end }).content
  -- Otherwise its end is on a line of its own, which in a quotation begins with a mark.
  if FORMAT == "dokuwiki" and #note.content == 1 and is_text(note.content[1]) then note.content = { pandoc.Plain(note.content[1].content) } end
  if FORMAT ~= "asciidoc" then return note end
  -- It has one paragraph, and a bracket ends it.
  local line = pandoc.Plain(lines_of(note.content)):walk({ Str = function(word)
    local parts = pandoc.List()
    for text, bracket in word.text:gmatch("([^%]]*)(%]?)") do
      if text ~= "" then parts:insert(pandoc.Str(text)) end
      if bracket ~= "" then parts:insert(raw("&#93;")) end
    end
    return parts
  end })
  note.content = { pandoc.Para(line.content) }
  return note
end

-- One text in each item, where more would leave the list or become HTML, which wikis refuse.
local function joined(item)
  local texts, others = pandoc.List(), pandoc.List()
  for _, block in ipairs(item) do
    if is_text(block) and #others == 0 then texts:insert(block) else others:insert(block) end
  end
  if #texts > 0 then others:insert(1, pandoc.Plain(lines_of(texts))) end
  if FORMAT ~= "dokuwiki" then return others end
  -- An item ends with its line.
  return pandoc.Div(others):walk({ LineBreak = function() return raw("\\\\ ") end }).content
end
local function bullets(list) return pandoc.BulletList(pandoc.List(list.content):map(joined)) end
local function numbers(list) return pandoc.OrderedList(pandoc.List(list.content):map(joined), FORMAT == "xwiki" and list.listAttributes or nil) end
local function definitions(list)
  return pandoc.DefinitionList(pandoc.List(list.content):map(function(entry) return { entry[1], pandoc.List(entry[2]):map(joined) } end))
end
local function bulleted_definitions(list)
  return pandoc.BulletList(pandoc.List(list.content):map(function(entry)
    local blocks = pandoc.List({ pandoc.Plain({ pandoc.Strong(entry[1]) }) })
    for _, definition in ipairs(entry[2]) do blocks:extend(definition) end
    return joined(blocks)
  end))
end

local function classed(name) return function(inline) return pandoc.Span(inline.content, pandoc.Attr("", { name })) end end
local quotes = { SingleQuote = { "‘", "’" }, DoubleQuote = { "“", "”" } }
local function percent(sign) return ("%%%02X"):format(sign:byte()) end

-- The writers keep only the text of such a link.
local function mail_link(scheme)
  return function(link)
    local address = link.target:match("^mailto:([^?%s|%[%]{}<>]+)$")
    if not address then return nil end
    local parts = pandoc.List({ raw("[[" .. scheme .. address .. "|") })
    parts:extend(link.content)
    parts:insert(raw("]]"))
    return parts
  end
end

local word = { Str = true, Space = true, SoftBreak = true, LineBreak = true, Emph = true, Strong = true, Underline = true, Code = true, SmallCaps = true }

-- A role holds words only, without blanks around them; links, footnotes and pictures stand between.
local function struck_parts(inlines)
  local parts, words = pandoc.List(), pandoc.List()
  local function finish()
    local before, text, after = pandoc.utils.stringify(words):match("^(%s*)(.-)(%s*)$")
    if before ~= "" then parts:insert(pandoc.Space()) end
    if text ~= "" then
      has_roles = true
      parts:insert(raw("\\ :del:`" .. text:gsub("[\\`]", "\\%0") .. "`\\ "))
    end
    if after ~= "" then parts:insert(pandoc.Space()) end
    words = pandoc.List()
  end
  for _, each in ipairs(inlines) do
    local is_word = word[each.t] ~= nil
    if is_word and each.content then
      pandoc.Span(each.content):walk({ Inline = function(inner) is_word = is_word and word[inner.t] ~= nil end })
    end
    if not is_word then finish() end
    (is_word and words or parts):insert(each)
  end
  finish()
  return parts
end

local own = {
  asciidoc = {
    Underline = classed("underline"),
    Strikeout = classed("line-through"),
    DefinitionList = definitions,
    Quoted = function(quoted)
      local parts, marks = pandoc.List({ pandoc.Str(quotes[quoted.quotetype][1]) }), quotes[quoted.quotetype]
      parts:extend(quoted.content)
      parts:insert(pandoc.Str(marks[2]))
      return parts
    end,
    -- These would be marks in an address too.
    Link = function(link)
      link.target = link.target:gsub("[~^`*]", percent):gsub("__", "%%5F%%5F")
      return link
    end,
  },
  zimwiki = { Link = mail_link("mailto:") },
  xwiki = { BulletList = bullets, OrderedList = numbers, DefinitionList = definitions },
  dokuwiki = {
    BulletList = bullets,
    OrderedList = numbers,
    DefinitionList = bulleted_definitions,
    Link = mail_link(""),
  },
  rst = {
    Strikeout = function(struck) return struck_parts(struck.content) end,
  },
}

return function(document)
  local made = document:walk({ Note = Note })
  if own[FORMAT] then made = made:walk(own[FORMAT]) end
  if has_roles then made.blocks:insert(1, pandoc.RawBlock("rst", ".. role:: del\n\n")) end
  return made
end
