/** Slides. */
import { rowsOf } from "./row.ts";

export const presentationFormats = rowsOf("presentation", [
  ["pptx", "PowerPoint presentation", "pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["ppt", "PowerPoint 97-2003", "ppt", "application/vnd.ms-powerpoint"],
  ["odp", "OpenDocument presentation", "odp", "application/vnd.oasis.opendocument.presentation"],
  ["ppsx", "PowerPoint show", "ppsx", "application/vnd.openxmlformats-officedocument.presentationml.slideshow"],
  ["pps", "PowerPoint 97-2003 show", "pps", "application/vnd.ms-powerpoint"],
  ["potx", "PowerPoint template", "potx", "application/vnd.openxmlformats-officedocument.presentationml.template"],
  ["pptm", "PowerPoint macro-enabled", "pptm", "application/vnd.ms-powerpoint.presentation.macroEnabled.12"],
  ["key", "Apple Keynote", "key", "application/vnd.apple.keynote"],
  ["revealjs", "reveal.js slides", "html", "text/html"],
  ["beamer", "LaTeX Beamer", "tex", "application/x-tex"],
  ["otp", "OpenDocument presentation template", "otp", "application/vnd.oasis.opendocument.presentation-template"],
  ["fodp", "Flat OpenDocument presentation", "fodp", "application/vnd.oasis.opendocument.presentation-flat-xml"],
  ["pot", "PowerPoint 97-2003 template", "pot", "application/vnd.ms-powerpoint"],
  ["potm", "PowerPoint macro template", "potm", "application/vnd.ms-powerpoint.template.macroEnabled.12"],
  ["ppsm", "PowerPoint macro show", "ppsm", "application/vnd.ms-powerpoint.slideshow.macroEnabled.12"],
  ["uop", "Uniform Office presentation", "uop", "application/x-uof-presentation"],
  ["sxi", "StarOffice 6 impress", "sxi", "application/vnd.sun.xml.impress"],
  ["sdd", "StarOffice 5 impress", "sdd", "application/vnd.stardivision.impress"],
]);
