-- Footnotes of web pages and books. A link is a mark by its role (DPUB-ARIA 1.0), or if it is short and its note links back.
local stringify = pandoc.utils.stringify

local function bare(inline) return (stringify(inline):gsub("[%s%[%]%(%)%.:]", "")) end
local function is_blank(inline) return inline.t == "Space" or inline.t == "SoftBreak" or bare(inline) == "" end
local function is_nothing(inline)
  if inline.content then return #inline.content:filter(function(part) return not is_nothing(part) end) == 0 end
  return inline.t == "Space" or inline.t == "SoftBreak" or inline.t == "LineBreak" or inline.text == ""
end
local function is_within(inline) return inline ~= nil and inline.t == "Link" and inline.target:sub(1, 1) == "#" end
local function is_text(block) return block ~= nil and (block.t == "Para" or block.t == "Plain") end

-- Usually a number, a letter or daggers.
local function is_mark(link)
  if link.attributes.role == "doc-noteref" then return true end
  local text = bare(link)
  return text ~= "" and #text <= 6 and not text:find("%a%a")
end

local wraps = { Superscript = true, Span = true, Strong = true, Emph = true }

-- The first inline of a text, or the last if `step` is -1, without its wrappers. Identifiers on the way go to `names`.
local function outermost(inlines, step, names)
  for place = step > 0 and 1 or #inlines, step > 0 and #inlines or 1, step do
    local inline = inlines[place]
    if inline.t == "Span" or inline.t == "Link" then names[#names + 1] = inline.identifier end
    if inline.t == "Link" then return inline end
    if not is_blank(inline) then return wraps[inline.t] and outermost(inline.content, step, names) or inline end
  end
end

local function candidate(blocks)
  local names = {}
  local first, last = blocks[1], blocks[#blocks]
  while first and first.t == "Div" do
    names[#names + 1] = first.identifier
    first = first.content[1]
  end
  while last and last.t == "Div" do last = last.content[#last.content] end
  local lead = is_text(first) and outermost(first.content, 1, names) or nil
  local foot = is_text(last) and outermost(last.content, -1, {}) or nil
  -- A link of a text to itself is its address.
  local own = {}
  for _, name in ipairs(names) do own["#" .. name] = true end
  local function other(link) return is_within(link) and not own[link.target] and link end
  return { blocks = blocks, names = names, lead = other(lead), foot = other(foot) }
end

-- Keeps what `keep` accepts of everything that may be a note: list items, divs, quotes and paragraphs, the outer ones first.
local function kept(blocks, keep)
  local function parts(lists)
    local left = pandoc.List()
    for _, list in ipairs(lists) do
      local is_kept, own = keep(list), kept(list, keep)
      if is_kept then left:insert(own) end
    end
    return left
  end
  local made = pandoc.List()
  for _, block in ipairs(blocks) do
    if block.t == "BulletList" or block.t == "OrderedList" then
      local items = parts(block.content)
      if #items > 0 then made:insert(block.t == "BulletList" and pandoc.BulletList(items) or pandoc.OrderedList(items, block.listAttributes)) end
    elseif block.t == "DefinitionList" then
      local entries = pandoc.List(block.content):map(function(entry) return { entry[1], parts(entry[2]) } end)
      entries = entries:filter(function(entry) return #entry[2] > 0 end)
      if #entries > 0 then made:insert(pandoc.DefinitionList(entries)) end
    elseif block.t == "Div" or block.t == "BlockQuote" then
      local is_kept, own = keep({ block }), kept(block.content, keep)
      -- The heading or rule of a list of notes goes once the notes have moved.
      local is_empty = #own == 0 or (#own == 1 and #block.content > 1 and (own[1].t == "Header" or own[1].t == "HorizontalRule"))
      if is_kept and not is_empty then made:insert(block.t == "Div" and pandoc.Div(own, block.attr) or pandoc.BlockQuote(own)) end
    -- Pandoc fills empty parts with an empty text when it walks, so that does not count.
    elseif not is_text(block) or #block.content == 0 or keep({ block }) then
      made:insert(block)
    end
  end
  return made
end

-- Text may end in the mark of its own note.
local signs = { ["*"] = true, ["**"] = true, ["***"] = true, ["†"] = true, ["‡"] = true, ["§"] = true, ["¶"] = true }

-- A link back is the number at the start of a note, or an arrow at its end.
local function is_back(link, mark)
  if link.attributes.role == "doc-noteref" then return false end
  if link.attributes.role == "doc-backlink" or (mark.identifier ~= "" and link.target == "#" .. mark.identifier) then return true end
  return bare(link) == bare(mark) or not (bare(link):find("%w") or signs[bare(link)])
end

local function leads_back(note, mark)
  return note.lead and is_back(note.lead, mark) or note.foot and bare(note.foot) ~= bare(mark) and is_back(note.foot, mark)
end

-- The text of a note, without links back and its number. Nil if it has a heading, because then it is part of the main text,
-- and if nothing is left, because all of it leads back.
local function said_in(note, mark)
  local function without_back(link)
    if link.attributes.role == "doc-backlink" or (is_within(link) and is_back(link, mark)) then return {} end
  end
  local function trimmed(inlines)
    local from, to = 1, #inlines
    while from < to and (is_blank(inlines[from]) or bare(inlines[from]) == bare(mark)) do from = from + 1 end
    while to > from do
      if is_nothing(inlines[to]) then to = to - 1
      -- Brackets around a removed link back.
      elseif inlines[to].text == "]" and inlines[to - 1].text == "[" then to = to - 2
      else break end
    end
    return pandoc.List(table.move(inlines, from, to, 1, {}))
  end
  local is_first, has_head = true, false
  local function see_head() has_head = true end
  local function trim(block)
    if not is_first then return nil end
    is_first = false
    return (block.t == "Para" and pandoc.Para or pandoc.Plain)(trimmed(block.content))
  end
  local made = pandoc.Div(note.blocks):walk({ Link = without_back, Para = trim, Plain = trim, Header = see_head }).content
  local is_empty = #made == 0 or (#made == 1 and is_text(made[1]) and #made[1].content:filter(function(part) return not is_nothing(part) end) == 0)
  return not has_head and not is_empty and made or nil
end

return function(document)
  local marks = 0
  document:walk({ Link = function(link) if is_within(link) and is_mark(link) then marks = marks + 1 end end })
  if marks == 0 then return nil end
  local by_name, by_back, count = {}, {}, 0
  kept(document.blocks, function(blocks)
    count = count + 1
    local note = candidate(blocks)
    note.place = count
    for _, name in ipairs(note.names) do by_name[name] = by_name[name] or note end
    for _, link in ipairs({ note.lead or nil, note.foot or nil }) do by_back[link.target] = by_back[link.target] or note end
    return true
  end)
  local placed = {}
  local function place(link)
    if not is_within(link) or not is_mark(link) then return nil end
    local by_role = link.attributes.role == "doc-noteref"
    local note = by_name[link.target:sub(2)] or (link.identifier ~= "" and by_back["#" .. link.identifier])
    if not note or not (by_role or leads_back(note, link)) then return nil end
    local said = said_in(note, link)
    if not said then return nil end
    placed[note.place] = true
    said:insert(pandoc.RawBlock("place", tostring(note.place)))
    return pandoc.Note(said)
  end
  local function lowered(raised)
    local inked = raised.content:filter(function(inline) return inline.t == "Note" or not is_blank(inline) end)
    if #inked == 1 and inked[1].t == "Note" then return inked[1] end
  end
  local made = document:walk({ Link = place }):walk({ Superscript = lowered })
  local last = count
  local function without_placed()
    count = 0
    local left = made:clone()
    left.blocks = kept(made.blocks, function()
      count = count + 1
      return not placed[count]
    end)
    local found = {}
    left = left:walk({ RawBlock = function(block) if block.format == "place" then found[tonumber(block.text)] = true return {} end end })
    return left, found
  end
  local left, found = without_placed()
  local is_whole = true
  -- Notes within one another would both go.
  for place in pairs(placed) do if not found[place] then placed[place] = nil is_whole = false end end
  if not is_whole then left = without_placed() end
  -- Rather no footnotes than another text removed.
  return count == last and left or nil
end
