-- Of chapters each has a title, of which the last would be that of all: the book is called after its first heading, which stays one.
function Pandoc(document)
  local title
  document:walk({ Header = function(heading) title = title or pandoc.utils.stringify(heading) end })
  document.meta.title = nil
  document.meta.pagetitle = title or "Document"
  return document
end
