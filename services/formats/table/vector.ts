/** Drawings made of shapes. */
import { rowsOf } from "./row.ts";

export const vectorFormats = rowsOf("vector", [
  ["svg", "Scalable Vector Graphics", "svg", "image/svg+xml"],
  ["eps", "Encapsulated PostScript", "eps epsf epsi", "application/postscript"],
  ["svgz", "Compressed SVG", "svgz", "image/svg+xml"],
  ["ps", "PostScript", "ps", "application/postscript"],
  ["emf", "Enhanced metafile", "emf", "image/emf"],
  ["wmf", "Windows metafile", "wmf", "image/wmf"],
  ["dxf", "AutoCAD DXF", "dxf", "image/vnd.dxf"],
  ["odg", "OpenDocument drawing", "odg", "application/vnd.oasis.opendocument.graphics"],
  ["vsdx", "Visio drawing", "vsdx", "application/vnd.ms-visio.drawing.main+xml"],
  ["vsd", "Visio 97-2010 drawing", "vsd", "application/vnd.visio"],
  ["pub", "Microsoft Publisher", "pub", "application/vnd.ms-publisher"],
  ["otg", "OpenDocument drawing template", "otg", "application/vnd.oasis.opendocument.graphics-template"],
  ["fodg", "Flat OpenDocument drawing", "fodg", "application/vnd.oasis.opendocument.graphics-flat-xml"],
  ["sxd", "StarOffice 6 drawing", "sxd", "application/vnd.sun.xml.draw"],
  ["sda", "StarOffice 5 drawing", "sda", "application/vnd.stardivision.draw"],
  ["vdx", "Visio XML drawing", "vdx", "application/vnd.visio"],
  ["vsdm", "Visio macro drawing", "vsdm", "application/vnd.ms-visio.drawing.macroEnabled.main+xml"],
  ["vstx", "Visio template", "vstx", "application/vnd.ms-visio.template.main+xml"],
  ["xaml", "Microsoft XAML", "xaml", "application/xaml+xml"],
  ["hpgl", "HP-GL plotter", "hpgl plt", "application/vnd.hp-HPGL"],
  ["fig", "Xfig drawing", "fig", "image/x-xfig"],
  ["dwg", "AutoCAD DWG", "dwg", "image/vnd.dwg"],
]);
