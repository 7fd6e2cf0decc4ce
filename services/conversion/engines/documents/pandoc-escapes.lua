-- Text that the target would read as markup. These writers of pandoc escape little or nothing: a paragraph that begins with `# ` would be a
-- comment of Org, `{{x}}` a template of MediaWiki, `.. x` a comment of reStructuredText, and none of them would be seen.
local zero_width_space = "\u{200b}"

local function reference(sign) return ("&#%d;"):format(sign:byte()) end
local function after(prefix) return function(sign) return prefix .. sign end end
local function within(mark) return function(sign) return mark .. sign .. mark end end

-- `anywhere` and `first` (in a block or line): patterns with `()` before the sign that is escaped; `plain`: signs that always are.
local targets = {
  -- Its manual names the zero width space as the escape character. @see https://orgmode.org/manual/Escape-Character.html
  org = {
    escape = function(sign) return sign == "|" and "\\vert{}" or sign == "$" and "\\dollar{}" or zero_width_space .. sign end,
    plain = "|",
    anywhere = { "()%[%[", "%[()%[", "<()<", "()%[fn:", "{{(){", "\\()%a" },
    first = { "^()%*+$", "^()#$", "^()#%+", "^()[+-]$", "^()%d+[.)]$", "^():$", "^():%S+:$", "^()%-%-%-%-%-+$" },
  },
  mediawiki = {
    escape = reference,
    plain = "|",
    anywhere = { "()''", "'()'", "()%[%[", "()%[%a+:", "()%[//", "(){{", "()~~~", "()__%u", "()!!" },
    first = { "^()[*#:;=!]", "^()%-%-%-%-" },
  },
  dokuwiki = {
    escape = function(sign) return sign == "%" and "<nowiki>%</nowiki>" or within("%%")(sign) end,
    plain = "|^",
    anywhere = { "()''", "()%[%[", "()%(%(", "(){{", "()~~", "()<%a", "()</", "()\\\\", "()%%%%", "%%()%%", "()&#?%w+;" },
    first = { "^()==+$", "^()>", "^()%-%-%-%-" },
  },
  zimwiki = { escape = within("''"), plain = "|", anywhere = { "()%[%[", "(){{", "()~~" }, first = { "^()%*$", "^()==+$", "^()%d+%.$" } },
  asciidoc = {
    escape = reference,
    plain = "|^~",
    anywhere = {
      "^()[*_`#+]%S", "[^%w]()[*_`#+]%S", "()%*%*", "()__", "()##", "()``", "()%+%+", "()<<", "()%(%(", "()%[%[", "()&#?%w+;",
      "()%->", "()=>", "()<%-", "()<=", "()%-%-", "()%([CR]%)", "()%(TM%)", "%f[:]:()::*$", "%f[;];();+$",
    },
    -- Of macros, such as `kbd:[x]`.
    after_colon = { "()%[" },
    first = { "^()%.", "^()[*#>=+-]+$", "^()//", "^():%w", "^()%a[.)]$", "^()[ivxIVX]+[.)]$", "^()'''", "^()[=_./*+-]+$" },
  },
  rst = {
    escape = after("\\"),
    plain = "",
    anywhere = { "^()[*`|]", "[^%w]()[*`|]", "()\\", "()_$", "()_[^%w]", ":():$" },
    first = {
      "^()[*+-]$", "^()\u{2022}$", "^()[%w#][.)]$", "^()%d+[.)]$", "^()[ivxIVX]+[.)]$", "^()%([%w#]+%)$", "^()%.%.$", "^():[^:]+:$", "^()%p+$", "^()>>>$",
    },
  },
  textile = {
    escape = reference,
    plain = "^~",
    anywhere = { "()!%S", "()%?%?", "()%%%S", "()%[%d", "()==", "()%([cCrR]%)", "()%([tT][mM]%)" },
    first = { "^()#+$", "^h[1-6]()%.+$", "^[bp][qc]?()%.+$", "^pre()%.+$", "^fn%d+()%.+$", "^notextile()%.+$", "^table()%.+$" },
  },
  jira = { escape = function(sign) return sign == "." and reference(sign) or "\\" .. sign end, plain = "|", anywhere = {}, first = { "^()#+$", "^h[1-6]()%.$", "^bq()%.$" } },
  haddock = { escape = after("\\"), plain = "", anywhere = { "()__", "()#%S" }, first = { "^()[*>-]$", "^()%d+%.$", "^()%(%d+%)$", "^()=+$" } },
  -- Its writer doubles these signs with `~`, which Markua does not know, and drops a number in front of a paragraph, unless they are parts of their own.
  markua = {
    escape = function(sign) return (sign:match("[/^-]") and "" or "\\") .. sign end,
    is_text = true,
    plain = "*`",
    anywhere = { "/()/", "%-()%-", "%^()%^", "^()_", "[^%w]()_", "()%[", "^(){", "()!%[" },
    first = { "^()[#>+-]+$", "^%d+()[.)]$", "^()[A-Z]>$" },
  },
  xwiki = {
    escape = after("~"),
    plain = "|",
    anywhere = { "(){{", "()%[%[", "()%(%(%(", "()__", "()##", "(),," },
    first = { "^()[*;:>-]+$", "^()%d+%.$", "^()=+$" },
  },
}

local target = targets[FORMAT]
if not target then return function() return nil end end

local function mark(places, text, patterns, start)
  for _, pattern in ipairs(patterns) do
    local from = start or 1
    while true do
      local found, _, place = text:find(pattern, from)
      if not found then break end
      places[place] = true
      from = place + 1
      if pattern:sub(1, 1) == "^" then break end
    end
  end
end

-- The text as inlines in which the signs at these places are escaped.
local function split(text, places)
  local made, from = pandoc.List(), 1
  for place = 1, #text do
    if places[place] then
      local last = utf8.offset(text, 2, place) - 1
      if place > from then made:insert(pandoc.Str(text:sub(from, place - 1))) end
      local sign = target.escape(text:sub(place, last))
      made:insert(target.is_text and pandoc.Str(sign) or pandoc.RawInline(FORMAT, sign))
      from = last + 1
    end
  end
  if from <= #text then made:insert(pandoc.Str(text:sub(from))) end
  return made
end

local emphasis = { "*", "/", "_", "=", "~", "+", "$" }

-- Where a text ends with each of these signs for the last time.
local function last_ends(inlines)
  local last = {}
  for index, each in ipairs(inlines) do
    if each.t == "Str" and each.text:find("%p") then
      for _, sign in ipairs(emphasis) do
        if each.text:match("%S%" .. sign .. "[-.,:;!?'\")}%[]*$") then last[sign] = index end
      end
    end
  end
  return last
end

-- Org ends emphasis, or a formula, at the same sign later in the paragraph; a sign alone, as in `/usr/bin`, stays as it is.
local function mark_emphasis(places, text, index, last)
  local place = text:find("[*/_=~+$]%S")
  while place do
    local sign = text:sub(place, place)
    local is_first = place == 1 or text:match("^[-({'\"]", place - 1)
    local is_closed = (last[sign] or 0) > index or (last[sign] == index and text:find(sign, place + 1, true))
    if is_first and is_closed then places[place] = true end
    place = text:find("[*/_=~+$]%S", place + 1)
  end
end

local always = target.plain ~= "" and { "()[" .. target.plain:gsub("%p", "%%%0") .. "]" } or {}
local needs_options = false

local function escaped(inlines)
  local made, last = pandoc.List(), FORMAT == "org" and last_ends(inlines)
  for index, each in ipairs(inlines) do
    -- Most words have no signs.
    if each.t == "Str" and each.text:find("%p") then
      local places = {}
      mark(places, each.text, always)
      mark(places, each.text, target.anywhere)
      local colon = target.after_colon and each.text:find(":", 1, true)
      if colon then mark(places, each.text, target.after_colon, colon) end
      if FORMAT == "org" then
        mark_emphasis(places, each.text, index, last)
        needs_options = needs_options or each.text:match("%S[_^]%S") ~= nil or each.text:match("%-%-") ~= nil
      end
      made:extend(split(each.text, places))
    else
      made:insert(each)
    end
  end
  return made
end

local breaks = { LineBreak = true, SoftBreak = true }

local function begun(block)
  local made = pandoc.List()
  for index, each in ipairs(block.content) do
    local before = block.content[index - 1]
    if each.t == "Str" and each.text:find("[%p\128-\255]") and (not before or breaks[before.t]) then
      local places = {}
      mark(places, each.text, target.first)
      made:extend(split(each.text, places))
    else
      made:insert(each)
    end
  end
  block.content = made
  return block
end

return function(document)
  local made = document:walk({ Inlines = escaped, Para = begun, Plain = begun })
  -- Subscripts have braces, and hyphens stay hyphens.
  if needs_options then made.blocks:insert(1, pandoc.RawBlock("org", "#+options: ^:{} -:nil")) end
  return made
end
