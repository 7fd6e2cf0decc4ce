-- What a document says about itself, where its target has a place for it.
local xml = dofile((PANDOC_SCRIPT_FILE:gsub("[%w-]+%.lua$", "pandoc-xml.lua")))
local is_markdown = FORMAT:match("^gfm") ~= nil
local is_web = FORMAT:match("^html") ~= nil
local is_book = FORMAT:match("^epub") ~= nil or FORMAT == "fb2"

-- What a web page says about itself is not in its text.
local is_page = false

-- Metadata of a web page that is meant for people; the rest is for browsers and search engines.
local told = {}
for name in ("title subtitle author date lang description subject keywords abstract publisher rights"):gmatch("%S+") do told[name] = true end
local function without_browsers(meta)
  for name in pairs(is_page and meta or {}) do if not told[name] then meta[name] = nil end end
end

local function listed(value) return pandoc.utils.type(value) == "List" and value or pandoc.List({ value }) end

-- TeX refuses a document in a language of which the writer knows no name.
local function has_name(language)
  local only_name = { template = pandoc.template.compile("$babel-lang$") }
  return pandoc.write(pandoc.Pandoc({}, { lang = language }), "latex", only_name):match("%S") ~= nil
end

local from_right = xml.set_of("ar arc ckb dv fa he iw ps sd syr ug ur yi")
local nameless = false
local function place_language(meta)
  -- The reader of EPUB has another name for it than the writers.
  local language = meta.language and pandoc.utils.stringify(listed(meta.language)[1] or "")
  if language and not is_markdown and language:match("^%a%a%a?%f[%A][%w-]*$") then meta.lang = meta.lang or language end
  -- The readers leave out the direction of a book or page.
  local own = meta.lang and pandoc.utils.stringify(meta.lang):lower():match("^%a+")
  if from_right[own] and (is_web or FORMAT == "docx") then meta.dir = meta.dir or "rtl" end
  if FORMAT == "latex" and meta.lang and not has_name(meta.lang) then
    meta.lang, nameless = nil, true
  end
end

-- Names of properties that the target has no place for.
local most_named = 8
local left = pandoc.List()

-- Properties of a Word document, which are not in its text, so they do not become a title on the page either.
local function place_properties(meta)
  local own = {}
  for name in ("title author date lang subject keywords description others"):gmatch("%S+") do
    local value = meta["filemill-" .. name]
    meta["filemill-" .. name] = nil
    own[name] = value and pandoc.utils.stringify(value)
  end
  local function put(name, place)
    meta[place or name] = meta[place or name] or own[name]
    own[name] = nil
  end
  if is_book or is_markdown then
    put("title") put("author")
    if is_book then put("date") put("lang") put("description") end
    if FORMAT:match("^epub") then
      meta.subject = meta.subject or pandoc.List({ own.subject or own.keywords, own.subject and own.keywords })
      own.subject, own.keywords = nil, nil
    end
  elseif is_web then
    if not meta.title then meta.pagetitle = own.title end
    if not meta.author then meta["author-meta"] = own.author and pandoc.List({ own.author }) end
    own.title, own.author = nil, nil
    put("date", "date-meta") put("lang") put("keywords") put("description", "description-meta")
  end
  left = pandoc.List({ "title", "author", "subject", "keywords", "description" }):filter(function(name) return own[name] end)
  for name in (own.others or ""):gmatch("[^,]+") do left:insert(name:match("^%s*(.*)")) end
  if nameless then left:insert("language") end
end

-- Writers of office documents expect a list, and those of books call them subjects.
local function place_keywords(meta)
  if not meta.keywords then return end
  local words = listed(meta.keywords)
  if FORMAT:match("^epub") then
    local subjects = listed(meta.subject)
    subjects:extend(words)
    meta.subject = subjects:map(pandoc.utils.stringify)
  end
  if FORMAT == "docx" or FORMAT == "odt" or FORMAT == "pptx" then
    -- The writers leave out plain strings.
    meta.keywords = words:map(function(each) return pandoc.MetaInlines({ pandoc.Str(pandoc.utils.stringify(each)) }) end)
  end
end

-- A FictionBook has an annotation, which books describe as HTML and the writer takes as blocks.
local function place_annotation(meta)
  local said = meta.abstract or meta.description
  if FORMAT ~= "fb2" or not said or pandoc.utils.type(said) == "Blocks" then return end
  local text = pandoc.utils.stringify(said)
  meta.description = nil
  meta.abstract = pandoc.MetaBlocks(text:match("</%a") and pandoc.read(text, "html").blocks or { pandoc.Para({ pandoc.Str(text) }) })
end

-- The lines at the head of a document that the target's template has no place for. They become the first blocks.
local unplaced = { asciidoc = "subtitle", fb2 = "subtitle", asciidoctor = "subtitle", ms = "subtitle", json = "subtitle author date abstract" }
for name in ("plain org man texinfo opml tei rtf"):gmatch("%S+") do unplaced[name] = "subtitle abstract" end
for name in ("mediawiki textile dokuwiki jira haddock xwiki zimwiki markua ipynb icml"):gmatch("%S+") do
  unplaced[name] = "title subtitle author date abstract"
end

-- A head is inline text, a list of it for several authors, or blocks.
local function blocks_of(name, value)
  local kind = pandoc.utils.type(value)
  if kind == "Blocks" then return value end
  if kind == "List" then
    local joined = pandoc.List()
    for place, each in ipairs(value) do
      if place > 1 then joined:extend({ pandoc.Str(","), pandoc.Space() }) end
      joined:extend(pandoc.utils.type(each) == "Inlines" and each or { pandoc.Str(pandoc.utils.stringify(each)) })
    end
    value = joined
  elseif kind ~= "Inlines" then
    value = { pandoc.Str(pandoc.utils.stringify(value)) }
  end
  return { name == "title" and pandoc.Header(1, value, pandoc.Attr("title")) or pandoc.Para(value) }
end

-- Targets that keep every property, and those of which only the names are known. Settings of programs say nothing about the document.
local keeps_all = is_markdown or FORMAT == "docx" or FORMAT == "odt" or FORMAT == "pptx" or FORMAT == "plain"
local settings = "lang language dir jupyter nocite references bibliography csl header-includes cover-image css"
local of_books = "title subtitle author creator contributor date description subject keywords abstract publisher rights source type format relation coverage identifier"
local function says(name, value)
  local text = pandoc.utils.stringify(value)
  -- Every book has an identifier, but only that of its edition means something to people.
  if name == "identifier" then return text:gsub("%D", ""):match("97[89]" .. ("%d"):rep(10)) ~= nil end
  -- The program that wrote the book.
  if name == "contributor" and text:match("^calibre %(") then return false end
  return text:match("%S") ~= nil and pandoc.utils.type(value) ~= "boolean"
end

local function marked(value, mark)
  local kind = pandoc.utils.type(value)
  if kind == "Blocks" then return pandoc.MetaBlocks({ pandoc.Para({ pandoc.Str(mark) }) }) end
  if kind ~= "List" and kind ~= "table" then return pandoc.MetaInlines({ pandoc.Str(mark) }) end
  local made = {}
  for name, each in pairs(value) do made[name] = marked(each, mark) end
  return kind == "List" and pandoc.MetaList(made) or made
end

-- Asks the writer itself, with a mark for each property, which of them it leaves out.
local function tell_left(document)
  local kept = xml.set_of(settings .. (FORMAT == "json" and " title" or "") .. (is_page and "" or " " .. (unplaced[FORMAT] or "")) .. (FORMAT:match("^epub") and " " .. of_books or ""))
  local names, marks = pandoc.List(), {}
  for name, value in pairs(keeps_all and {} or document.meta) do
    if not kept[name] and not left:includes(name) and says(name, value) then
      names:insert(name)
      -- Writers leave out what is no date.
      local is_date = name:match("^date") and pandoc.utils.normalize_date(pandoc.utils.stringify(value))
      marks[name] = is_date and "1987-06-05" or ("mark%dmark"):format(#names)
    end
  end
  names:sort()
  local meta = {}
  for _, name in ipairs(names) do meta[name] = marked(document.meta[name], marks[name]) end
  local is_tree = FORMAT == "json" or FORMAT:match("^epub")
  local written = #names > 0 and not is_tree and pandoc.write(pandoc.Pandoc({}, meta), FORMAT, { template = pandoc.template.compile(pandoc.template.default(FORMAT)) }):lower() or ""
  local headings = {}
  for _, block in ipairs(document.blocks) do headings[block.t == "Header" and pandoc.utils.stringify(block)] = true end
  for _, name in ipairs(names) do
    local is_shown = written:find(marks[name]:match("^%w+"), 1, true) or headings[pandoc.utils.stringify(document.meta[name])]
    if not is_shown then left:insert((name:gsub("[%c,]", " "))) end
  end
  if #left > most_named then left = pandoc.List({ table.concat(left, ", ", 1, most_named), "others" }) end
  if #left > 0 and FORMAT ~= "plain" then print("filemill:properties " .. table.concat(left, ", ")) end
end

local function with_heads(document)
  local heads = pandoc.List()
  for name in (unplaced[FORMAT] or ""):gmatch("%S+") do
    local value = document.meta[name]
    if value and pandoc.utils.stringify(value):match("%S") then heads:extend(blocks_of(name, value)) end
  end
  heads:extend(document.blocks)
  document.blocks = heads
end

-- Because options go before a text of Org, the reader takes the properties at its beginning for none of the document.
local function read_drawer(meta)
  local options, path = table.unpack(PANDOC_STATE.input_files)
  if not path or not options:match("options%.org$") then return end
  local is_open = false
  for line in io.lines(path) do
    local name, value = line:sub(1, 2000):match("^%s*:([^%s:]+):%s*(.*)$")
    name = name and name:lower()
    if not is_open then
      if not name and not line:match("^#%s") and line:match("%S") then return end
      if name and name ~= "properties" then return end
      is_open = name ~= nil
    elseif name == "end" then return
    elseif name and value:match("%S") then
      meta[name] = meta[name] or value:match("^.*%S")
    end
  end
end

local function read(meta)
  read_drawer(meta)
  is_page = meta["filemill-web"] ~= nil
  without_browsers(meta)
  meta["filemill-web"] = nil
  place_language(meta)
  place_properties(meta)
  place_keywords(meta)
  place_annotation(meta)
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
  if not is_page then with_heads(document) end
  tell_left(document)
  if FORMAT:match("^epub") then without_empty_names(document.meta) end
  if own_title == "" then
    local title
    for _, block in ipairs(document.blocks) do
      if block.t == "Header" and #block.content > 0 then title = pandoc.utils.stringify(block) break end
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
