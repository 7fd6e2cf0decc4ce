-- Pictures that stand in a page as base64: pandoc's readers and writers need hundreds of bytes of memory for each byte of them.
-- The inspector leaves only a reference to their place in the source (see html-embedded.ts); here they come back.
local reference = "^(data:image/[%w.+-]+;base64,)filemill%-(%d+)%-(%d+)$"
local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local source, left, bag = nil, 0, {}

local function open(path)
  source = assert(io.open(path, "rb"))
  -- A document may repeat references that it made up.
  left = 2 * source:seek("end")
end

local function letters(start, length)
  left = left - length
  assert(left >= 0, "too many embedded pictures")
  source:seek("set", start)
  -- Line ends would end an address in Markdown, and a reference that the document made up may be to markup.
  return ((source:read(tonumber(length)) or ""):gsub("[^%w+/=]", ""))
end

local function decoded(text)
  local digits, parts = {}, {}
  for place = 1, 64 do digits[alphabet:byte(place)] = place - 1 end
  text = text:gsub("[^%w+/]", "")
  for place = 1, #text, 4 do
    local a, b, c, d = text:byte(place, place + 3)
    local bits = digits[a] << 18 | (digits[b] or 0) << 12 | (digits[c] or 0) << 6 | (digits[d] or 0)
    parts[#parts + 1] = string.char(bits >> 16, bits >> 8 & 255, bits & 255):sub(1, d and 3 or c and 2 or 1)
  end
  return table.concat(parts)
end

-- Where the target stores the picture that `address` refers to, if it does.
local function stored(address)
  local start, length = select(2, address:match(reference))
  if not source or not start then return address end
  local name = "embedded-" .. start
  if not bag[name] then
    bag[name] = true
    pandoc.mediabag.insert(name, address:match("^data:([^;]+)"), decoded(letters(start, length)))
  end
  return name
end

-- Writes text itself, because a data URL in the document is what the writers cannot bear either.
local function write(document)
  if not source then return nil end
  local text = pandoc.write(document, FORMAT, PANDOC_WRITER_OPTIONS)
  local restored = text:gsub("(;base64,)filemill%-(%d+)%-(%d+)", function(before, start, length) return before .. letters(start, length) end)
  local file = assert(io.open(PANDOC_STATE.output_file, "wb"))
  assert(file:write(restored))
  assert(file:close())
  os.exit(0)
end

return { open = open, stored = stored, write = write }
