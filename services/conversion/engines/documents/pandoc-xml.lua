-- Reads the tags of a document in XML in one pass: where each begins and ends, whether it is an end tag, its name without a prefix, its
-- attributes, and the text up to the next tag. Comments are no text, and what looks like a tag in CDATA is.
local function text_after(source, at)
  local parts = {}
  while true do
    local from = source:find("<", at, true) or #source + 1
    parts[#parts + 1] = source:sub(at, from - 1)
    local start = source:sub(from, from + 8)
    local close = start == "<![CDATA[" and "]]>" or start:sub(1, 4) == "<!--" and "-->" or start:sub(1, 2) == "<?" and "?>" or start:sub(1, 2) == "<!" and ">"
    if not close then return table.concat(parts), from end
    local opening = close == "]]>" and 9 or close == "-->" and 4 or 2
    local last, stop = source:find(close, from + opening, true)
    if close == "]]>" then parts[#parts + 1] = source:sub(from + opening, (last or 0) - 1):gsub("[<&]", " ") end
    at = (stop or #source) + 1
  end
end

local function tags(source)
  local _, at = text_after(source, 1)
  return function()
    local from, stop, slash, tag, rest = source:find("^<(/?)([%a_\128-\255][%w_:.\128-\255-]*)([^>]*)>", at)
    if not from then return nil end
    local text, following = text_after(source, stop + 1)
    at = following
    return { from = from, stop = stop, is_end = slash ~= "", is_empty = rest:sub(-1) == "/", name = tag:match("[^:]+$") or tag, rest = rest, text = text }
  end
end

local function set_of(names)
  local found = {}
  for name in names:gmatch("%S+") do found[name] = true end
  return found
end

return { tags = tags, set_of = set_of }
