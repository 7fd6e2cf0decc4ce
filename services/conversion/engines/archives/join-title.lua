-- Each chapter has a title, and the last would become the book's. Names the book after its first heading, which stays in the text.
function Pandoc(document)
  local title
  document:walk({ Header = function(heading) title = title or pandoc.utils.stringify(heading) end })
  document.meta.title = nil
  document.meta.pagetitle = title or "Document"
  return document
end

-- With an empty description, screen readers skip a picture that nobody described.
function Image(image)
  if #image.caption == 0 and not image.attributes.alt then image.attributes.alt = "" end
  return image
end
