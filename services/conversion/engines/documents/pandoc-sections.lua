-- Documents that consist of headings with text: outlines and FictionBooks.

-- Replaces divs by their content, because an outline keeps only what is directly under headings.
local function outlined(blocks)
  local found = pandoc.List()
  for _, block in ipairs(blocks) do
    if block.t == "Div" then found:extend(outlined(block.content)) else found:insert(block) end
  end
  return found
end

-- A FictionBook has headings and targets of links for sections only, so links to anything within lead to its section.
-- Pandoc drops headings inside anything else, so they become bold paragraphs.
local function sectioned(blocks)
  local found, homes, waiting, count, home = pandoc.List(), {}, pandoc.List(), 0, nil
  local function wait(part) if part.identifier ~= "" then waiting:insert(part.identifier) end end
  local function settle()
    for _, name in ipairs(waiting) do homes[name] = homes[name] or home end
    waiting = pandoc.List()
  end
  local function bold(heading)
    wait(heading)
    return pandoc.Para({ pandoc.Strong(heading.content) })
  end
  local function place(all)
    for _, block in ipairs(all) do
      if block.t == "Div" then
        wait(block)
        place(block.content)
      elseif block.t == "Header" then
        count = count + 1
        wait(block)
        home = "section-" .. count
        block.identifier = home
        pandoc.walk_block(block, { Span = wait })
        settle()
        found:insert(block)
      else
        local made = pandoc.walk_block(block, { Header = bold, Div = wait, Span = wait, Link = wait, CodeBlock = wait, Code = wait })
        -- The reader of EPUB names each file by an empty paragraph before it, which belongs to the heading after it.
        local is_name = made.t == "Para" and #made.content == 1 and made.content[1].t == "Span" and #made.content[1].content == 0
        if not is_name then
          settle()
          found:insert(made)
        end
      end
    end
  end
  place(blocks)
  settle()
  local function lead(link)
    local name = link.target:match("^#(.+)$")
    if not name then return nil end
    if not homes[name] then return link.content end
    link.target = "#" .. homes[name]
    return link
  end
  return found:map(function(block) return pandoc.walk_block(block, { Link = lead }) end)
end

return { outlined = outlined, sectioned = sectioned }
