-- What pandoc's reader of FictionBook leaves out: tables, and what the head says of the book. @see FictionBook 2.1, FictionBook.xsd
local entities = { lt = "<", gt = ">", amp = "&", quot = '"', apos = "'" }

local function text_of(xml)
  return (xml:gsub("<[^>]*>", " "):gsub("&(%w+);", entities):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

-- The texts of all elements of this name, a part's words in their order.
local function texts(xml, name)
  local found = pandoc.List()
  for content in xml:gmatch("<" .. name .. "%f[%s>][^>]*>(.-)</" .. name .. ">") do
    local text = text_of(content)
    if text ~= "" then found:insert(pandoc.MetaInlines({ pandoc.Str(text) })) end
  end
  return found
end

local function put(meta, name, values)
  if #values == 0 then return end
  local all = meta[name] and (pandoc.utils.type(meta[name]) == "List" and pandoc.List(meta[name]) or pandoc.List({ meta[name] })) or pandoc.List()
  all:extend(values)
  meta[name] = #all == 1 and all[1] or pandoc.MetaList(all)
end

local function read_head(source, meta)
  local function part(name) return source:match("<" .. name .. ">(.-)</" .. name .. ">") or "" end
  local title, edition = part("title%-info"), part("publish%-info")
  put(meta, "keywords", texts(title, "genre"))
  put(meta, "translator", texts(title, "translator"))
  put(meta, "publisher", texts(edition, "publisher"))
  put(meta, "identifier", texts(edition, "isbn"))
  local series = pandoc.List()
  for attributes in (title .. edition):gmatch("<sequence%f[%s]([^>]*)>") do
    local name, number = attributes:match('name="([^"]*)"'), attributes:match('number="([^"]*)"')
    if name then series:insert(pandoc.MetaInlines({ pandoc.Str(text_of(name .. " " .. (number or ""))) })) end
  end
  put(meta, "series", series)
  local place = pandoc.List({ "book%-name", "city", "year" }):map(function(name) return texts(edition, name)[1] end)
  put(meta, "edition", place:filter(function(each) return each end))
end

local mark = "\u{e000}"

-- The same document with its tables, which have the names of HTML.
local function with_tables(source, document)
  local tables = pandoc.List()
  local marked = source:gsub("<table%f[%s>].-</table>", function(xml)
    tables:insert(xml)
    return "<p>" .. mark .. #tables .. mark .. "</p>"
  end)
  if #tables == 0 then return document end
  local read = pandoc.read(marked, "fb2")
  read.meta = document.meta
  local names = { emphasis = "em", strikethrough = "del", style = "span" }
  return read:walk({ Para = function(block)
    local number = pandoc.utils.stringify(block):match("^" .. mark .. "(%d+)" .. mark .. "$")
    if not number then return nil end
    local xml = tables[tonumber(number)]:gsub("(</?)(%l+)", function(open, name) return open .. (names[name] or name) end):gsub("%sl?:?xlink:href=", " href=")
    return pandoc.read(xml, "html").blocks
  end })
end

return function(source, document)
  read_head(source, document.meta)
  return with_tables(source, document)
end
