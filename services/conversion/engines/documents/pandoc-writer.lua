-- Runs after the filter for targets whose writer needs data files, which `--sandbox` hides. The reader ran under `--sandbox`; a filter
-- is not restricted by it, so this calls the writer without a second run of pandoc.
function Pandoc(document)
  -- The name that -o gave: in the weaker sandbox, the folder has another one.
  local file = assert(io.open(PANDOC_STATE.output_file, "wb"))
  assert(file:write(pandoc.write(document, FORMAT, PANDOC_WRITER_OPTIONS)))
  assert(file:close())
  -- Otherwise pandoc would go on to the sandboxed writer and fail.
  os.exit(0)
end
