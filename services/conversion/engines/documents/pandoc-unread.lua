-- Names the elements of a document in XML whose text pandoc's readers leave out without a word: those with a word that is nowhere in
-- the document that was read.
local most_named = 5
local word = "[%w\128-\255][%w\128-\255]+"

local xml = dofile((PANDOC_SCRIPT_FILE:gsub("[%w-]+%.lua$", "pandoc-xml.lua")))
local set_of = xml.set_of
-- Formulas, pictures, and what only programs read.
local aside = set_of("math tex-math inlineequation informalequation equation binary stylesheet document-info processing-meta object-id remark lang src-lang")
-- These do not say what is lost.
local plain = set_of("p para simpara title emphasis strong bold italic sup sub a v td th tr tbody thead tgroup row entry text")

local function words_of(document)
  local words = {}
  for each in pandoc.write(document, "json"):gsub("\\u%x%x%x%x", " "):gsub("\\.", " "):gmatch(word) do words[each] = true end
  return words
end

local function is_lost(text, words)
  -- What an entity stands for is unknown here, and so is its word.
  for each in text:gsub("&#?%w+;", "\1"):gmatch("[%w\128-\255\1]+") do
    if #each > 1 and not each:find("\1", 1, true) and not words[each] then return true end
  end
  return false
end

local function unread_in(source, document)
  local words, open, found, depth = words_of(document), {}, pandoc.List(), 0
  for tag in xml.tags(source) do
    if tag.is_end then
      if aside[table.remove(open)] then depth = depth - 1 end
    elseif not tag.is_empty then
      open[#open + 1] = tag.name
      if aside[tag.name] then depth = depth + 1 end
    end
    if depth == 0 and is_lost(tag.text, words) then
      local place = #open
      while place > 1 and plain[open[place]] do place = place - 1 end
      -- The heading of the notes, which become footnotes.
      local is_heading = open[place] == "body" and open[place + 1] == "title"
      if place > 0 and not is_heading and not found:includes(open[place]) then found:insert(open[place]) end
    end
  end
  return found
end

return { { Pandoc = function(document)
  local file = io.open(PANDOC_STATE.input_files[1] or "", "rb")
  if not file then return end
  local found = unread_in(file:read("a"), document)
  file:close()
  if #found > most_named then found = pandoc.List({ table.concat(found, ", ", 1, most_named) .. " and others" }) end
  if #found > 0 then print("filemill:unread " .. table.concat(found, ", ")) end
end } }
