/** 3MF files as other programs write them. */
import { zipSync } from "fflate";

/** A tetrahedron with the id 1. */
export const solid =
  '<object id="1" type="model"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="10" y="0" z="0"/><vertex x="0" y="20" z="0"/>' +
  '<vertex x="0" y="0" z="30"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/>' +
  '<triangle v1="0" v2="3" v3="2"/><triangle v1="1" v2="2" v3="3"/></triangles></mesh></object>';

export type ThreeMfOptions = { readonly unit?: string; readonly items?: string; readonly parts?: Readonly<Record<string, string>> };

/** A file with these resources; by default its only item is the object with id 1. */
export function threeMf(
  resources: string,
  doctype = "",
  { unit = "millimeter", items = '<item objectid="1"/>', parts = {} }: ThreeMfOptions = {},
): Buffer {
  const model = modelOf(`<resources>${resources}</resources><build>${items}</build>`, unit);
  const relations =
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Target="/3D/3dmodel.model" ' +
    'Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>';
  const types = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>';
  const others = Object.entries(parts).map(([name, inside]) => [name, modelOf(`<resources>${inside}</resources><build/>`, unit)]);
  const files: Readonly<Record<string, string>> = {
    "[Content_Types].xml": types,
    "_rels/.rels": relations,
    "3D/3dmodel.model": doctype + model,
    ...Object.fromEntries(others),
  };
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]))));
}

function modelOf(inside: string, unit: string): string {
  return (
    `<model unit="${unit}" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" ` +
    `xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02" xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06">` +
    `${inside}</model>`
  );
}

/** The same archive as lib3mf writes it: every size is in a ZIP64 field. */
export function withLongSizes(zip: Buffer): Buffer {
  const end = zip.lastIndexOf("PK\x05\x06", undefined, "latin1");
  const start = zip.readUInt32LE(end + 16);
  const entries: Buffer[] = [];
  for (let at = start; at < end; at += 46 + zip.readUInt16LE(at + 28)) {
    const entry = Buffer.concat([zip.subarray(at, at + 46 + zip.readUInt16LE(at + 28)), Buffer.alloc(20)]);
    const field = entry.length - 20;
    entry.writeUInt16LE(1, field);
    entry.writeUInt16LE(16, field + 2);
    zip.copy(entry, field + 4, at + 24, at + 28);
    zip.copy(entry, field + 12, at + 20, at + 24);
    entry.fill(0xff, 20, 28);
    entry.writeUInt16LE(20, 30);
    entries.push(entry);
  }
  const last = Buffer.from(zip.subarray(end));
  last.writeUInt32LE(Buffer.concat(entries).length, 12);
  return Buffer.concat([zip.subarray(0, start), ...entries, last]);
}
