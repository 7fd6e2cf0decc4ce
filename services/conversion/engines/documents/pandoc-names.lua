-- Headings that every book and page can have, and identifiers that are unique.
local is_markdown = FORMAT:match("^gfm") ~= nil or FORMAT:match("^commonmark") ~= nil
local is_book = FORMAT:match("^epub") ~= nil
local is_web = is_book or FORMAT:match("^html") ~= nil

-- Programs that write books create an empty heading for a chapter without one, which is an error in a table of contents.
-- An empty anchor would end up there too, so its links lead to the heading instead.
local moved = {}

local function Header(heading)
  local shows = false
  local function show() shows = true end
  local made = pandoc.walk_block(heading, { Image = show, Math = show, RawInline = show, Span = function(span)
    if #span.content > 0 or not is_web then return nil end
    if heading.identifier == "" then heading.identifier = span.identifier end
    moved[span.identifier] = heading.identifier
    return {}
  end })
  made.identifier = heading.identifier
  -- A heading is bold anyway.
  if is_markdown and #made.content == 1 and made.content[1].t == "Strong" then made.content = made.content[1].content end
  return (shows or pandoc.utils.stringify(made.content):match("%S")) and made or {}
end

-- The identifier that pandoc itself gives a heading without one.
local function named_by(text)
  local name = pandoc.text.lower(text):gsub("[%c%p]", function(mark) return mark:match("[-_.]") end):gsub("%s+", "-")
  return name:match("^[%d%p]*(.-)$")
end

-- Makes identifiers unique; headings choose first. In a book, a link to nowhere becomes text, because checkers of books report it.
-- The writer itself uses `cb1` and so on for code.
local function with_own_names(document)
  local taken = {}
  local function own(part)
    if part.identifier == "" then return nil end
    if taken[part.identifier] or part.identifier:match("^cb%d+$") or part.identifier:match("^cb%d+%-%d+$") then
      part.identifier = ""
      return part
    end
    taken[part.identifier] = true
  end
  local function own_heading(heading)
    local name = heading.identifier ~= "" and heading.identifier or named_by(pandoc.utils.stringify(heading.content))
    if name == heading.identifier or taken[name] then return own(heading) end
    taken[name] = true
    heading.identifier = name
    return heading
  end
  local function leads_somewhere(link)
    local name = link.target:match("^#(.+)$")
    if name and not taken[name] and taken[moved[name]] then
      link.target = "#" .. moved[name]
      return link
    end
    if is_book and name and not taken[name] then return link.content end
  end
  local has_own_links = false
  local function own_link(link)
    has_own_links = has_own_links or link.target:match("^#") ~= nil
    return own(link)
  end
  -- Each walk through a document takes a third as long as its conversion.
  local named = document:walk({ Header = own_heading })
  named = named:walk({ Div = own, CodeBlock = own, Span = own, Code = own, Link = own_link, Image = own })
  return has_own_links and named:walk({ Link = leads_somewhere }) or named
end

return { Header = Header, own = with_own_names }
