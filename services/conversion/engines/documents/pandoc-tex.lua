-- What Pandoc's reader of TeX leaves out without a word: captions of figures without a picture, labels that an author gives to items of
-- lists, and the numbers of equations and of what has such a caption.
local List = pandoc.List

-- Longer ones are not looked at, so that many unfinished ones take no time.
local most = 10000

local function without(text, name)
  local pieces, at = List(), 1
  local start, finish = "\\begin{" .. name .. "}", "\\end{" .. name .. "}"
  while true do
    local from, inside = text:find(start, at, true)
    local _, to = text:find(finish, inside or #text + 1, true)
    if not to then return table.concat(pieces) .. text:sub(at) end
    pieces:insert(text:sub(at, from - 1))
    at = to + 1
  end
end

-- The text of the document, without comments and listings.
local function body_of(source)
  local text = source:gsub("\\%%", " "):gsub("%%[^\n]*", "")
  for _, name in ipairs({ "verbatim", "lstlisting", "minted", "comment" }) do text = without(text, name) end
  return text:match("\\begin{document}(.*)") or text
end

-- Signs that Pandoc writes for those of TeX: unbreakable spaces, dashes, quotation marks and ellipses.
local function without_signs(text) return (text:gsub("\194[\160\171\187]", " "):gsub("\226\128[\128-\191]", " ")) end

local function words_of(document)
  local words = {}
  for each in without_signs(pandoc.write(document, "json"):gsub("\\.", " ")):gmatch("[%a\128-\255]+") do words[each] = true end
  return words
end

-- Words with commands or signs inside, such as those for accents, may be written otherwise.
local function is_lost(caption, words)
  local text = caption:gsub("%b$$", " "):gsub("~", " "):gsub("\\%a+%s+", "\\"):gsub("\\index%b{}", "\\")
  for each in without_signs(text):gmatch("%S+") do
    local word = each:match("^[{%(,.:;]*([%a\128-\255]+)[}%),.:;]*$")
    if word and not words[word] then return true end
  end
  return false
end

local function has_lost_caption(text, words)
  for place in text:gmatch("\\caption()%f[%A]") do
    local near = text:sub(place, place + most)
    local at = near:match("^%*?%s*()")
    at = near:match("^%b[]%s*()", at) or at
    local caption = near:match("^%b{}", at)
    if caption and is_lost(caption, words) then return true end
  end
  return false
end

local function has_own_labels(text)
  local open = {}
  for command, place in text:gmatch("\\(%a+)()") do
    local name = text:match("^%s*{(%a+)%*?}", place)
    if command == "begin" then open[#open + 1] = name or ""
    elseif command == "end" then table.remove(open)
    elseif command == "item" and ((open[#open] or ""):match("enum") or open[#open] == "itemize") then
      local label = text:sub(place, place + most):match("^%s*(%b[])")
      if label and label:gsub("\\%a+", ""):match("%w") then return true end
    end
  end
  return false
end

return { { Pandoc = function(document)
  local has_names = false
  document:walk({ Link = function(link)
    local label = link.attributes["reference"]
    has_names = has_names or label ~= nil and pandoc.utils.stringify(link) == "[" .. label .. "]"
  end })
  if has_names then print("filemill:references") end
  local inputs = PANDOC_STATE.input_files
  local file = io.open(inputs[#inputs] or "", "rb")
  if not file then return end
  local text = body_of(file:read("a"))
  file:close()
  local found = List()
  if text:find("\\caption", 1, true) and has_lost_caption(text, words_of(document)) then found:insert("captions") end
  if has_own_labels(text) then found:insert("labels of list items") end
  if #found > 0 then print("filemill:unread " .. table.concat(found, ", ")) end
end } }
