-- What a document says about itself, where its target has a place for it.
local is_markdown = FORMAT:match("^gfm") ~= nil
local is_web = FORMAT:match("^html") ~= nil
local is_book = FORMAT:match("^epub") ~= nil or FORMAT == "fb2"

-- Metadata of a web page that is meant for people; the rest is for browsers and search engines.
local told = {}
for name in ("title subtitle author date lang description keywords abstract publisher rights"):gmatch("%S+") do told[name] = true end
local function without_browsers(meta)
  for name in pairs(meta["filemill-web"] and meta or {}) do if not told[name] then meta[name] = nil end end
end

-- Properties of a Word document, which are not in its text, so they do not become a title on the page either.
local function place_properties(meta)
  local function take(name)
    local value = meta["filemill-" .. name]
    meta["filemill-" .. name] = nil
    return value and pandoc.utils.stringify(value)
  end
  local title, author, date, lang = take("title"), take("author"), take("date"), take("lang")
  if is_book or is_markdown then
    meta.title, meta.author = meta.title or title, meta.author or author
    if is_book then meta.date, meta.lang = meta.date or date, meta.lang or lang end
  elseif is_web then
    if not meta.title then meta.pagetitle = title end
    if not meta.author then meta["author-meta"] = author and pandoc.List({ author }) end
    meta["date-meta"], meta.lang = date, meta.lang or lang
  elseif (title or author) and FORMAT ~= "plain" then print("filemill:properties") end
end

local function read(meta)
  without_browsers(meta)
  place_properties(meta)
  return meta
end

local function without_empty_names(meta)
  for name, value in pairs(meta) do
    if pandoc.utils.type(value) == "List" then
      local filled = value:filter(function(each) return type(each) ~= "table" or each.t or pandoc.utils.stringify(each):match("%S") end)
      meta[name] = #filled > 0 and filled or nil
    elseif pandoc.utils.type(value) == "Inlines" and not pandoc.utils.stringify(value):match("%S") then
      meta[name] = nil
    end
  end
end

-- Titles that pages and books must have, and a first heading for outlines and books.
local function finish(document)
  local own_title = document.meta.title and pandoc.utils.stringify(document.meta.title) or ""
  if FORMAT:match("^epub") then without_empty_names(document.meta) end
  if own_title == "" then
    local title
    for _, block in ipairs(document.blocks) do
      if block.t == "Header" then title = pandoc.utils.stringify(block) break end
    end
    if is_web then document.meta.pagetitle = document.meta.pagetitle or title or "Document"
    elseif is_book then document.meta.title = title or "Document" end
  end
  -- Otherwise the writer would take the language of this process, which is none.
  if FORMAT:match("^epub") then document.meta.lang = document.meta.lang or "und" end
  if FORMAT == "opml" or FORMAT:match("^epub") then
    local first = document.blocks[1]
    while first and first.t == "Div" do first = first.content[1] end
    if first and first.t ~= "Header" then document.blocks:insert(1, pandoc.Header(1, own_title ~= "" and own_title or "Document")) end
  end
end

return { read = read, finish = finish }
