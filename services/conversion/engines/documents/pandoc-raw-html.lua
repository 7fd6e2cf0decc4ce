-- HTML inside Markdown and other markup, for targets that have none: otherwise x<sup>2</sup> would become x2, and a table a list of words.
local List = pandoc.List

local function linked(content, tag)
  local address = tag:match('%shref%s*=%s*"([^"]*)"') or tag:match("%shref%s*=%s*'([^']*)'")
  return address and pandoc.Link(content, address) or pandoc.Span(content)
end
local function literal(content) return pandoc.Code(pandoc.utils.stringify(content)) end
local function quoted(content) return pandoc.Quoted("DoubleQuote", content) end

local wraps = {
  sup = pandoc.Superscript, sub = pandoc.Subscript, b = pandoc.Strong, strong = pandoc.Strong, i = pandoc.Emph, em = pandoc.Emph,
  del = pandoc.Strikeout, s = pandoc.Strikeout, strike = pandoc.Strikeout, u = pandoc.Underline, ins = pandoc.Underline,
  code = literal, samp = literal, tt = literal, q = quoted, a = linked,
}
local made_of_blocks = { table = true, ul = true, ol = true, dl = true, blockquote = true, pre = true }
for level = 1, 6 do made_of_blocks["h" .. level] = true end

local function tag_of(part, kind)
  if part.t ~= kind or not part.format:match("^html") then return nil end
  local slash, name = part.text:match("^%s*<(/?)(%w+)")
  return name and name:lower(), slash == "/"
end

-- Pairs of tags become what they mean. A tag without its other half stays, and writers leave it out.
local function Inlines(inlines)
  local open = { { content = List() } }
  local function flatten()
    local last = table.remove(open)
    open[#open].content:insert(last.tag)
    open[#open].content:extend(last.content)
  end
  for _, inline in ipairs(inlines) do
    local name, is_end = tag_of(inline, "RawInline")
    local is_known = name and wraps[name] and not inline.text:match("/>$")
    local place = #open
    while is_known and is_end and place > 1 and open[place].name ~= name do place = place - 1 end
    if is_known and not is_end then
      open[#open + 1] = { name = name, tag = inline, content = List() }
    elseif is_known and place > 1 then
      while #open > place do flatten() end
      local last = table.remove(open)
      open[#open].content:insert(wraps[name](last.content, last.tag.text))
    else
      open[#open].content:insert(inline)
    end
  end
  while #open > 1 do flatten() end
  return open[1].content
end

-- Reads blocks between tags again as a web page. Notes and formulas wait elsewhere.
local function reread(blocks)
  local kept = {}
  local function keep(part)
    kept[#kept + 1] = part
    return pandoc.Span({ pandoc.Str(tostring(#kept)) }, pandoc.Attr("", { "filemill-kept" }))
  end
  local page = pandoc.write(pandoc.Pandoc(List(blocks)):walk({ Note = keep, Math = keep }), "html")
  return pandoc.read(page, "html"):walk({ Span = function(span)
    if span.classes:includes("filemill-kept") then return kept[tonumber(pandoc.utils.stringify(span))] end
  end }).blocks
end

local function count_of(text, pattern)
  local _, count = text:lower():gsub(pattern, "")
  return count
end

-- The place of the block that ends what the tag at `from` begins.
local function end_of(blocks, from, name)
  local depth = 0
  for place = from, #blocks do
    local block = blocks[place]
    if block.t == "RawBlock" and block.format:match("^html") then
      depth = depth + count_of(block.text, "<" .. name .. "[%s>]") - count_of(block.text, "</" .. name .. "%s*>")
      if depth <= 0 then return place end
    end
  end
end

local function Blocks(blocks)
  local made, place = List(), 1
  while place <= #blocks do
    local name, is_end = tag_of(blocks[place], "RawBlock")
    local last = name and not is_end and made_of_blocks[name] and end_of(blocks, place, name)
    if last then
      made:extend(reread(table.move(blocks, place, last, 1, {})))
      place = last
    elseif name == "hr" then made:insert(pandoc.HorizontalRule())
    else made:insert(blocks[place]) end
    place = place + 1
  end
  return made
end

return function(document)
  if FORMAT:match("^html") or FORMAT:match("^gfm") or FORMAT:match("^commonmark") or FORMAT == "ipynb" or FORMAT:match("^markua") then return nil end
  return document:walk({ Inlines = Inlines }):walk({ Blocks = Blocks })
end
