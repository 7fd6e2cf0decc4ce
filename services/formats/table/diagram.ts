/** Graphs. */
import { rowsOf } from "./row.ts";

export const diagramFormats = rowsOf("diagram", [
  ["gv", "Graphviz DOT graph", "gv dot", "text/vnd.graphviz"],
  ["xdot", "Graphviz xdot", "xdot", "text/vnd.graphviz"],
  ["vrml", "VRML scene", "wrl vrml", "model/vrml"],
  ["graphml", "GXL / GraphML", "gxl graphml", "application/gxl+xml"],
]);
