-- Reads what pandoc's reader of FictionBook leaves out: tables, and most of the description.
local xml = dofile((PANDOC_SCRIPT_FILE:gsub("[%w-]+%.lua$", "pandoc-xml.lua")))
local is_book = FORMAT:match("^epub") ~= nil
local mark = "filemill-table-"

local function attribute(tag, name) return tag.rest:match("%s" .. name .. '%s*=%s*"([^"]*)"') or tag.rest:match("%s" .. name .. "%s*=%s*'([^']*)'") end

-- Without entities and repeated blanks.
local function plain(text) return pandoc.utils.stringify(pandoc.read(text:gsub("<", "&lt;"):match("^%s*(.-)%s*$"), "html")) end

-- Writes each cell as a paragraph that begins with a mark, so that pandoc reads what is in it. Also returns the tables.
local function without_tables(source)
  local parts, tables, at, open, cell = {}, {}, 1, nil, nil
  for tag in xml.tags(source) do
    local is_cell = tag.name == "td" or tag.name == "th"
    if not open and tag.name == "table" and not tag.is_end and not tag.is_empty then
      open = { cells = {}, rows = 0 }
      parts[#parts + 1] = source:sub(at, tag.from - 1)
      tables[#tables + 1] = open
    elseif open and tag.name == "tr" and not tag.is_end then
      open.rows = open.rows + 1
    elseif open and is_cell and not tag.is_end then
      cell = { row = math.max(open.rows, 1), is_head = tag.name == "th", start = tag.stop + 1 }
      for _, name in ipairs({ "colspan", "rowspan", "align" }) do cell[name] = attribute(tag, name) end
      open.cells[#open.cells + 1] = cell
      cell.text = ""
    elseif open and is_cell and cell then
      -- Paragraphs are not allowed here, but written.
      cell.text = source:sub(cell.start, tag.from - 1):gsub("</?p%f[^%w][^<>]*>", " ")
    elseif open and tag.name == "table" and tag.is_end then
      for place, each in ipairs(open.cells) do parts[#parts + 1] = ("<p>%s%d-%d %s</p>"):format(mark, #tables, place, each.text) end
      at, open, cell = tag.stop + 1, nil, nil
    end
  end
  parts[#parts + 1] = source:sub(at)
  return table.concat(parts), tables
end

local aligned = { left = pandoc.AlignLeft, right = pandoc.AlignRight, center = pandoc.AlignCenter }
local function span(value) return math.min(math.max(math.tointeger(tonumber(value)) or 1, 1), 1000) end

local function table_of(cells)
  local rows, heads, places, is_body = {}, {}, 0, false
  for _, cell in ipairs(cells) do rows[cell.row] = rows[cell.row] or {} table.insert(rows[cell.row], cell) end
  local head, body = pandoc.List(), pandoc.List()
  for number = 1, cells[#cells].row do
    local made, width, is_head = pandoc.List(), 0, true
    for _, cell in ipairs(rows[number] or {}) do
      local content = #cell.content > 0 and { pandoc.Plain(cell.content) } or {}
      made:insert(pandoc.Cell(content, aligned[cell.align], span(cell.rowspan), span(cell.colspan)))
      width, is_head = width + span(cell.colspan), is_head and cell.is_head
    end
    places = math.max(places, width)
    is_body = is_body or not is_head
    local list = is_body and body or head
    if #made > 0 then list:insert(pandoc.Row(made)) end
  end
  for place = 1, places do heads[place] = { pandoc.AlignDefault, nil } end
  local part = { attr = pandoc.Attr(), body = body, head = {}, row_head_columns = 0 }
  return pandoc.Table({ long = {}, short = nil }, heads, pandoc.TableHead(head), { part }, pandoc.TableFoot())
end

local function with_tables(document, tables)
  local function cell_of(block)
    local first = block.t == "Para" and block.content[1]
    local number, place = (first and first.text or ""):match("^filemill%-table%-(%d+)%-(%d+)$")
    local home = tables[tonumber(number)]
    return home, home and home.cells[tonumber(place)]
  end
  return document:walk({ Blocks = function(blocks)
    local made = pandoc.List()
    for _, block in ipairs(blocks) do
      local home, cell = cell_of(block)
      if cell then cell.content = pandoc.List(table.move(block.content, 3, #block.content, 1, {})) end
      if not cell then made:insert(block)
      elseif cell == home.cells[#home.cells] then made:insert(table_of(home.cells)) end
    end
    return made
  end })
end

local kept = xml.set_of("genre lang src-lang translator sequence publisher city year isbn book-name")
local persons = xml.set_of("first-name middle-name last-name nickname")

-- Lists of values by their names.
local function description_of(source)
  local open, said = {}, {}
  local function say(name, value)
    said[name] = said[name] or pandoc.List()
    if value:match("%S") and not said[name]:includes(value) then said[name]:insert(value) end
  end
  for tag in xml.tags(source) do
    if tag.is_end then table.remove(open)
    elseif not tag.is_empty then open[#open + 1] = tag.name end
    local part, name, inner = open[3], open[4], open[5]
    if tag.is_end and tag.name == "description" then break end
    if part == "title-info" or part == "publish-info" then
      if tag.name == "translator" and not tag.is_end then say("translator", " ") end
      if name == "translator" and persons[inner] and not tag.is_end and tag.text:match("%S") then
        local names = said.translator
        if tag.name == "first-name" or #names == 0 then names:insert(plain(tag.text)) else names[#names] = names[#names] .. " " .. plain(tag.text) end
      elseif tag.name == "sequence" and not tag.is_end then
        local number = attribute(tag, "number")
        say("series", plain((attribute(tag, "name") or "") .. (number and " " .. number or "")))
      elseif kept[name] and not inner and not tag.is_end and tag.name == name then
        say(name, plain(tag.text))
      end
    end
  end
  return said
end

local function describe(meta, said)
  local function put(name, place)
    local values = said[name]
    if values and #values > 0 then meta[place or name] = meta[place or name] or table.concat(values, ", ") end
  end
  if said.genre and #said.genre > 0 then
    local words = pandoc.List(meta.keywords or {})
    words:extend(said.genre:filter(function(each) return not words:includes(each) end))
    meta.keywords = words
  end
  put("lang", "language")
  for name in ("src-lang series publisher city year book-name"):gmatch("%S+") do put(name) end
  if is_book and said.translator then
    meta.contributor = said.translator:map(function(each) return { role = "trl", text = each } end)
  else put("translator") end
  if is_book and said.isbn and said.isbn[1] then meta.identifier = { { scheme = "ISBN-13", text = said.isbn[1] } } else put("isbn") end
end

return { { Pandoc = function(document)
  local file = io.open(PANDOC_STATE.input_files[1] or "", "rb")
  if not file then return nil end
  local source = file:read("a")
  file:close()
  local rewritten, tables = without_tables(source)
  if #tables > 0 then document = with_tables(pandoc.read(rewritten, "fb2"), tables) end
  describe(document.meta, description_of(source))
  return document
end } }
