-- Of chapters each has a title, of which the last would be that of all: the book is called after its first heading, which stays one.
function Pandoc(document)
  local title
  document:walk({ Header = function(heading) title = title or pandoc.utils.stringify(heading) end })
  document.meta.title = nil
  document.meta.pagetitle = title or "Document"
  return document
end

-- A picture that nobody described is one that readers aloud pass over.
function Image(image)
  if #image.caption == 0 and not image.attributes.alt then image.attributes.alt = "" end
  return image
end
