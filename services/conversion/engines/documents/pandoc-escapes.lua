-- Text that looks like markup of a wiki, which pandoc's writers do not escape: {{z}} would become a template, !i! a picture.
local function entities(text) return (text:gsub(".", function(sign) return ("&#%d;"):format(sign:byte()) end)) end
local function nowiki(text) return "<nowiki>" .. text .. "</nowiki>" end
local function entity_last(text) return text:sub(1, -2) .. entities(text:sub(-1)) end

-- `signs` anywhere in a word, each by itself; `starts`: the first word of a paragraph.
local rules = {
  mediawiki = { signs = { "%[%[+", "%]%]+", "{{+", "}}+", "''+", "~~~+" }, starts = { "[#*;:=].*" }, escaped = entities },
  textile = { signs = { "[~^!%%\"]", "==+", "%?%?+", "%([cCrR]%)" }, starts = { "#+", "%a+%d?%." }, escaped = entities, at_start = entity_last },
  dokuwiki = { signs = { "%[%[+", "{{+", "%(%(+", "''+", "%%%%+", "&#?%w+;" }, starts = { ">+.*" }, escaped = nowiki },
}
local rule = rules[FORMAT]

local function raw(text, escape) return pandoc.RawInline(FORMAT, escape(text)) end

local function Str(word)
  local text, parts, done, at = word.text, pandoc.List(), 1, 1
  while true do
    -- Most words have no signs.
    at = text:find("%p", at)
    if not at then break end
    local found
    for _, sign in ipairs(rule.signs) do found = found or text:match("^" .. sign, at) end
    if found then
      if at > done then parts:insert(pandoc.Str(text:sub(done, at - 1))) end
      parts:insert(raw(found, rule.escaped))
      done = at + #found
    end
    at = at + (found and #found or 1)
  end
  if #parts == 0 then return nil end
  if done <= #text then parts:insert(pandoc.Str(text:sub(done))) end
  return parts
end

local function start(block)
  local first = block.content[1]
  if not first or first.t ~= "Str" then return nil end
  for _, pattern in ipairs(rule.starts) do
    if first.text:match("^" .. pattern .. "$") then
      local sign = rule.at_start and first.text or first.text:sub(1, 1)
      if rule.at_start then block.content[1] = raw(sign, rule.at_start)
      else
        block.content[1] = pandoc.Str(first.text:sub(2))
        block.content:insert(1, raw(sign, rule.escaped))
      end
      return block
    end
  end
end

return function(document)
  if not rule then return nil end
  document.blocks = pandoc.walk_block(pandoc.Div(document.blocks), { Para = start, Plain = start }).content
  document.blocks = pandoc.walk_block(pandoc.Div(document.blocks), { Str = Str }).content
  return document
end
