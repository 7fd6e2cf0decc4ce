-- Embeds the pictures beside a chapter. The first line of the list is the chapter's folder, each other line a picture: its media
-- type, the file that holds it as base64, and its name. Reports the pictures shown on stdout, by number from 1.
local folder
local known, count, told = {}, 0, {}

local function resolved(path)
  local steps = {}
  for step in path:gmatch("[^/]+") do
    if step == ".." then
      if #steps == 0 then return nil end
      steps[#steps] = nil
    elseif step ~= "." then steps[#steps + 1] = step end
  end
  return table.concat(steps, "/")
end

for line in io.lines("/engine/pictures.txt") do
  if folder == nil then folder = line
  else
    count = count + 1
    local kind, file, name = line:match("^(%S+) (%S+) (.+)$")
    if name then known[resolved(name) or name] = { kind = kind, file = file, number = count } end
  end
end

local function decoded(text)
  return (text:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

local function find(source)
  if source:match("^%a[%w+.-]*:") or source:match("^//") then return nil end
  for _, each in ipairs({ source, decoded(source), decoded((source:gsub("[?#].*$", ""))) }) do
    local near, far = resolved(folder .. "/" .. each), resolved(each)
    local found = (near and not each:match("^/") and known[near]) or (far and known[far])
    if found then return found end
  end
end

local function embedded(source)
  local picture = find(source)
  if not picture then return nil end
  if not told[picture.number] then print("filemill:shows=" .. picture.number) end
  told[picture.number] = true
  if not picture.data then
    local file = io.open(picture.file, "rb")
    picture.data = "data:" .. picture.kind .. ";base64," .. file:read("a")
    file:close()
  end
  return picture.data
end

local function image(given)
  local data = embedded(given.src)
  if not data then return nil end
  given.src = data
  return given
end

-- HTML inside Markdown, tag by tag.
local function raw(given)
  if not given.format:match("^html") then return nil end
  local text, parts, from = given.text, {}, 1
  while true do
    local start = text:find("<[iI][mM][gG]%s", from)
    local finish = start and text:find(">", start, true)
    if not finish then break end
    local tag = text:sub(start, finish)
    local first, last, source = tag:find("%s[sS][rR][cC]%s?=%s?[\"']([^\"']*)[\"']")
    local data = first and embedded(source)
    parts[#parts + 1] = text:sub(from, start - 1)
    parts[#parts + 1] = data and (tag:sub(1, first) .. 'src="' .. data .. '"' .. tag:sub(last + 1)) or tag
    from = finish + 1
  end
  if from == 1 then return nil end
  given.text = table.concat(parts) .. text:sub(from)
  return given
end

return { { Image = image, RawInline = raw, RawBlock = raw } }
