-- Shows the keys of citations that TeX has as commands, where the target has no citations: otherwise they would vanish. Says on stdout
-- what the log lacks: that a bibliography is left out, and where the text of a document in TeX begins.
local keeps = FORMAT == "latex" or FORMAT == "org"

local function Cite(cite)
  if pandoc.utils.stringify(cite.content):match("%S") then return nil end
  local shown = pandoc.List()
  for place, each in ipairs(cite.citations) do
    if place > 1 then shown:extend({ pandoc.Str(";"), pandoc.Space() }) end
    for _, part in ipairs({ each.prefix, { pandoc.Str(each.id) }, each.suffix }) do
      if #shown > 0 and #part > 0 and part[1].t ~= "Space" and shown[#shown].t ~= "Space" then shown:insert(pandoc.Space()) end
      shown:extend(part)
    end
  end
  shown:insert(1, pandoc.Str("["))
  shown:insert(pandoc.Str("]"))
  return shown
end

-- Unknown commands before the text begins only concern the layout.
local function tell_start()
  local files, line = PANDOC_STATE.input_files, 0
  if not files[1]:match("macros%.tex$") then return end
  for text in io.lines(files[#files]) do
    line = line + 1
    if text:find("\\begin{document}", 1, true) then print("filemill:text-from=" .. line) end
  end
end

-- The writer of DOCX logs no blocks.
local function RawBlock(raw)
  if FORMAT ~= "docx" or raw.format:match("^html") or raw.format == "openxml" then return nil end
  io.stderr:write(('[INFO] Not rendering RawBlock (Format "%s") "%s"\n'):format(raw.format, raw.text:match("[^\n]*")))
end

-- Markdown keeps a list of references in its metadata, but nothing of a reference whose parts are not marked.
local function lacks_references(meta)
  if meta.bibliography then return true end
  local function is_lost(reference) return not FORMAT:match("^gfm") or not reference.title end
  return #pandoc.List(meta.references or {}):filter(is_lost) > 0
end

return function(document)
  tell_start()
  if lacks_references(document.meta) then print("filemill:bibliography") end
  return document:walk({ Cite = not keeps and Cite or nil, RawBlock = RawBlock })
end
