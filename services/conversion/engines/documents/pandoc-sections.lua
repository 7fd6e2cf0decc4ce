-- Documents that consist of headings with text: outlines and FictionBooks.

-- Replaces divs by their content, because an outline keeps only what is directly under headings.
local function outlined(blocks)
  local found = pandoc.List()
  for _, block in ipairs(blocks) do
    if block.t == "Div" then found:extend(outlined(block.content)) else found:insert(block) end
  end
  return found
end

-- The reader of EPUB names each file by an empty paragraph before it, which belongs to what follows.
local function is_name(block)
  local first = block.t == "Para" and #block.content == 1 and block.content[1]
  return first and first.t == "Span" and #first.content == 0
end

local function is_cover(block)
  local first = (block.t == "Para" or block.t == "Plain") and #block.content == 1 and block.content[1]
  local said = first and first.t == "Image" and pandoc.utils.stringify(first.caption):lower()
  return said and (said == "" or said:match("^cover") ~= nil)
end

-- Markup of web pages, which the writer leaves out.
local function is_html(part) return (part.t == "RawBlock" or part.t == "RawInline") and part.format:match("^html") end
local function is_unseen(block)
  local is_text = block.t == "Para" or block.t == "Plain"
  return is_html(block) or is_text and not block.content:find_if(function(part) return not is_html(part) end)
end

-- `homes`: sections by the names of what they contain. What has no name is somewhere in its file.
local function with_links(blocks, homes)
  local has_lost = false
  local function lead(link)
    local name = link.target:match("^#(.+)$")
    if not name then return nil end
    local home = homes[name] or homes[name:match("^(.-)#") or ""]
    if home then
      link.target = "#" .. home
      return link
    end
    has_lost = true
    return link.content
  end
  local made = blocks:map(function(block) return pandoc.walk_block(block, { Link = lead }) end)
  if has_lost then print("filemill:links") end
  return made
end

-- A FictionBook has headings and targets of links for sections only, so links to anything within lead to its section. Files before
-- the first heading are sections without one. Pandoc drops headings inside anything else, so they become bold paragraphs. Also
-- returns the address of the cover.
local function sectioned(blocks)
  local found, homes, waiting, count, home, level, cover = pandoc.List(), {}, pandoc.List(), 0
  local is_book, is_new, is_headed = blocks:find_if(is_name) ~= nil, true, false
  local function wait(part) if part.identifier ~= "" then waiting:insert(part.identifier) end end
  local function bold(heading)
    wait(heading)
    return pandoc.Para({ pandoc.Strong(heading.content) })
  end
  local seen = { Header = bold, Div = wait, Span = wait, Link = wait, Image = wait, Table = wait, CodeBlock = wait, Code = wait }
  local function begin(heading)
    count = count + 1
    home = "section-" .. count
    heading.identifier = home
    found:insert(heading)
  end
  local function settle()
    for _, name in ipairs(waiting) do homes[name] = homes[name] or home end
    waiting = pandoc.List()
  end
  local function keep(block)
    if is_unseen(block) then return end
    if is_book and not cover and #found == 0 and is_cover(block) then
      cover = block.content[1].src
      return
    end
    if is_new and not is_headed then begin(pandoc.Header(level or 1, {})) end
    is_new = false
    settle()
    found:insert(block.t == "Plain" and pandoc.Para(block.content) or block)
  end
  local function place(all)
    for _, block in ipairs(all) do
      if block.t == "Div" then
        wait(block)
        place(block.content)
      elseif block.t == "Header" then
        wait(block)
        is_headed = true
        begin(pandoc.walk_block(block, seen))
        settle()
      else
        -- A walk leaves out where it starts.
        local made = pandoc.walk_block(pandoc.Div({ block }), seen).content
        if is_name(made[1]) then is_new = true else made:map(keep) end
      end
    end
  end
  pandoc.walk_block(pandoc.Div(blocks), { Header = function(heading) level = level or heading.level end })
  place(blocks)
  settle()
  return with_links(found, homes), cover
end

return { outlined = outlined, sectioned = sectioned }
