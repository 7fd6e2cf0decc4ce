-- A removed picture stood between words. The space in its place goes at the edges of a text, and leaves links and emphasis.
local function trimmed(part)
  local content = part.content
  local first, last = content[1], content[#content]
  local is_before, is_after = first and first.t == "Space", last and last.t == "Space"
  if is_before then content:remove(1) end
  if is_after and #content > 0 then content:remove() end
  part.content = content
  return part, is_before, is_after
end

local function block(given) return (trimmed(given)) end

local function inline(given)
  local made, is_before, is_after = trimmed(given)
  -- A link without a text still has its address.
  local parts = pandoc.List((#made.content > 0 or made.t == "Link") and { made } or {})
  if is_before then parts:insert(1, pandoc.Space()) end
  if is_after then parts:insert(pandoc.Space()) end
  return parts
end

local blank = { Space = true, SoftBreak = true, LineBreak = true }
local function once(inlines)
  local made = pandoc.List()
  for _, each in ipairs(inlines) do
    local before = made[#made]
    if each.t ~= "Space" or not (before and blank[before.t]) then made:insert(each) end
  end
  return made
end

return function(document)
  return document:walk({ Link = inline, Strong = inline, Emph = inline, Inlines = once }):walk({ Para = block, Plain = block, Header = block })
end
