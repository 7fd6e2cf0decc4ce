-- Tables. Of those drawn with characters, Pandoc cuts words that are longer than a column, and leaves out what it cannot draw.
local drawn = { plain = true, markua = true, opml = true, rst = true, muse = true, haddock = true }
-- Pandoc draws a table of more columns only if its cells have one line each, which makes very long lines.
local most = 9
local line_width = PANDOC_WRITER_OPTIONS and PANDOC_WRITER_OPTIONS.columns or 72

local function rows_of(table)
  local rows = pandoc.List()
  rows:extend(table.head.rows)
  for _, body in ipairs(table.bodies) do
    rows:extend(body.head)
    rows:extend(body.body)
  end
  rows:extend(table.foot.rows)
  return rows
end

local function longest_word(blocks)
  local longest = 0
  local text = pandoc.utils.stringify(pandoc.utils.blocks_to_inlines(blocks, { pandoc.Space() }))
  for word in text:gmatch("%S+") do longest = math.max(longest, utf8.len(word) or #word) end
  return longest
end

local function is_line(cell)
  local first = cell.contents[1]
  return #cell.contents == 0 or #cell.contents == 1 and (first.t == "Plain" or first.t == "Para") and not first.content:find_if(function(each)
    return each.t == "LineBreak"
  end)
end

-- The items of lists, and what is in divs and quotations, as blocks of their own.
local function flat(blocks)
  local made = pandoc.List()
  for _, block in ipairs(blocks) do
    if block.t == "BulletList" or block.t == "OrderedList" then
      for _, item in ipairs(block.content) do made:extend(flat(item)) end
    elseif block.t == "Div" or block.t == "BlockQuote" then made:extend(flat(block.content))
    else made:insert(block) end
  end
  return made
end

-- One line for each row, with tabs between its cells.
local function lines_of(table)
  return pandoc.LineBlock(rows_of(table):map(function(row)
    local line = pandoc.List()
    for place, cell in ipairs(row.cells) do
      if place > 1 then line:insert(pandoc.Str("\t")) end
      local text = pandoc.utils.blocks_to_inlines(flat(cell.contents), { pandoc.Space() })
      line:extend(text:map(function(each) return each.t == "LineBreak" and pandoc.Space() or each end))
    end
    return line
  end))
end

-- Makes each column as wide as its longest word.
local function widen(table)
  local least = {}
  for _, row in ipairs(rows_of(table)) do
    local place = 1
    for _, cell in ipairs(row.cells) do
      if cell.col_span == 1 then least[place] = math.max(least[place] or 0, longest_word(cell.contents)) end
      place = place + cell.col_span
    end
  end
  local equal = 1 / #table.colspecs
  for place, column in ipairs(table.colspecs) do column[2] = math.max(column[2] or equal, ((least[place] or 0) + 5) / line_width) end
end

local keeps_spans = { html = true, html5 = true, epub3 = true, docx = true, odt = true, latex = true, jats = true, json = true, ipynb = true }
local has_told = false

local function tell_spans(rows)
  local has_spans = rows:find_if(function(row)
    return pandoc.List(row.cells):find_if(function(cell) return cell.row_span > 1 or cell.col_span > 1 end) ~= nil
  end)
  if has_spans and not has_told and not keeps_spans[FORMAT] then print("filemill:spans") end
  has_told = has_told or has_spans ~= nil
end

-- Drawn tables of Muse have no head.
local function without_head(table)
  local rows, body = pandoc.List(table.head.rows), table.bodies[1]
  if not body then return end
  rows:extend(body.body)
  body.body, table.head = rows, pandoc.TableHead({})
end

-- The writer of OpenDocument leaves out the foot.
local function with_foot(table)
  local last = table.bodies[#table.bodies]
  if FORMAT ~= "odt" or #table.foot.rows == 0 or not last then return end
  local rows = pandoc.List(last.body)
  rows:extend(table.foot.rows)
  last.body, table.foot = rows, pandoc.TableFoot({})
end

-- These writers leave out the caption.
local without_caption = { jira = true, xwiki = true, muse = true, tei = true }

-- What the target can show.
local function shown(table)
  if not drawn[FORMAT] then return table end
  local has_widths = table.colspecs:find_if(function(column) return column[2] ~= nil end)
  local has_lines = rows_of(table):find_if(function(row)
    return pandoc.List(row.cells):find_if(function(cell) return not is_line(cell) end) ~= nil
  end)
  if FORMAT == "muse" and (has_lines or has_widths) then without_head(table) end
  if FORMAT == "opml" or FORMAT == "plain" and #table.colspecs > most or FORMAT == "markua" and has_lines then
    local lines = lines_of(table)
    return #table.caption.long > 0 and { lines, pandoc.Div(table.caption.long) } or lines
  end
  if has_lines or has_widths then widen(table) end
  return table
end

-- A cell of Zim is a single line.
local function with_lines(table)
  for _, row in ipairs(rows_of(table)) do
    for _, cell in ipairs(row.cells) do cell.contents = { pandoc.Plain(pandoc.utils.blocks_to_inlines(flat(cell.contents), { pandoc.Space() })) } end
  end
  return table
end

return function(table)
  tell_spans(rows_of(table))
  with_foot(table)
  if FORMAT == "zimwiki" then table = with_lines(table) end
  local caption = table.caption.long
  if not without_caption[FORMAT] or #caption == 0 then return shown(table) end
  table.caption = { long = {}, short = nil }
  return { pandoc.Div(caption), shown(table) }
end
