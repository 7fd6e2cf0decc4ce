/** Makes typical/vector/typical.dwg (AutoCAD 2000) with acad-ts: node test/corpus/make/drawing.mjs */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ACadVersion,
  Arc,
  BlockRecord,
  CadDocument,
  Circle,
  Color,
  DwgWriter,
  Ellipse,
  Insert,
  Layer,
  Line,
  LwPolyline,
  LwPolylineVertex,
  MText,
  TextEntity,
  XY,
  XYZ,
} from "@node-projects/acad-ts";

const drawing = new CadDocument();
drawing.header.version = ACadVersion.AC1015;
const notes = new Layer("Notes");
notes.color = new Color(1);
drawing.layers.add(notes);
const add = (entity, given) => {
  drawing.modelSpace.entities.add(Object.assign(entity, given));
  return entity;
};

const outline = new LwPolyline();
outline.vertices.push(...[[0, 0], [200, 0], [200, 120], [0, 120]].map(([x, y]) => new LwPolylineVertex(new XY(x, y))));
outline.isClosed = true;
add(outline, {});
add(new Line(), { startPoint: new XYZ(20, 20, 0), endPoint: new XYZ(180, 20, 0) });
add(new Circle(), { center: new XYZ(60, 70, 0), radius: 25 });
add(new Arc(), { center: new XYZ(140, 70, 0), radius: 25, startAngle: 0, endAngle: Math.PI });
add(new Ellipse(), { center: new XYZ(100, 95, 0), majorAxisEndPoint: new XYZ(15, 0, 0), radiusRatio: 0.5, endParameter: 2 * Math.PI });
add(new TextEntity("Quokka"), { insertPoint: new XYZ(20, 105, 0), height: 10, layer: notes });
add(new MText(), { value: "zebracell 42", insertPoint: new XYZ(120, 50, 0), height: 8, layer: notes });

const cross = new BlockRecord("Cross");
drawing.blockRecords.add(cross);
for (const [x, y] of [[5, 0], [0, 5]])
  cross.entities.add(Object.assign(new Line(), { startPoint: new XYZ(-x, -y, 0), endPoint: new XYZ(x, y, 0) }));
for (const x of [60, 140]) add(new Insert(cross), { insertPoint: new XYZ(x, 70, 0) });

writeFileSync(join(import.meta.dirname, "../typical/vector/typical.dwg"), DwgWriter.writeToBuffer(drawing));
