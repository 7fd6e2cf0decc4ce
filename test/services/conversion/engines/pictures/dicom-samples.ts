/** DICOM files, made by hand. @see DICOM PS3.5, annex A, and PS3.10 */

type Picture = {
  readonly columns: number;
  readonly rows: number;
  /** Signed values of all frames. */
  readonly values: readonly number[];
  readonly bits?: 16 | 32;
  readonly photometric?: string;
  /** Center and width. */
  readonly window?: readonly [string, string];
  /** Added to every value. */
  readonly intercept?: string;
};

const numbered = (group: number, number: number): Buffer => Buffer.from([group & 0xff, group >> 8, number & 0xff, number >> 8]);

function element(group: number, number: number, kind: string, value: Buffer): Buffer {
  const padded = value.length % 2 === 0 ? value : Buffer.concat([value, Buffer.from(" ")]);
  const length = kind === "OW" ? Buffer.alloc(6) : Buffer.alloc(2);
  if (kind === "OW") length.writeUInt32LE(padded.length, 2);
  else length.writeUInt16LE(padded.length);
  return Buffer.concat([numbered(group, number), Buffer.from(kind), length, padded]);
}

const text = (group: number, number: number, kind: string, value: string) => element(group, number, kind, Buffer.from(value));
const short = (number: number, value: number) => element(0x28, number, "US", Buffer.from(Uint16Array.of(value).buffer));

/** An uncompressed picture of signed values. */
export function dicomOf({ columns, rows, values, bits = 16, photometric = "MONOCHROME2", window, intercept }: Picture): Buffer {
  const syntax = element(2, 0x10, "UI", Buffer.from("1.2.840.10008.1.2.1\0"));
  return Buffer.concat([
    ...[Buffer.alloc(128), Buffer.from("DICM"), element(2, 0, "UL", Buffer.from(Uint32Array.of(syntax.length).buffer)), syntax],
    ...[text(8, 0x16, "UI", "1.2.840.10008.5.1.4.1.1.2\0"), text(0x10, 0x10, "PN", "Quokka^Ann")],
    ...[short(2, 1), text(0x28, 4, "CS", photometric), text(0x28, 8, "IS", String(values.length / columns / rows))],
    ...[short(0x10, rows), short(0x11, columns), short(0x100, bits), short(0x101, bits), short(0x102, bits - 1), short(0x103, 1)],
    ...(window === undefined ? [] : [text(0x28, 0x1050, "DS", window[0]), text(0x28, 0x1051, "DS", window[1])]),
    ...(intercept === undefined ? [] : [text(0x28, 0x1052, "DS", intercept), text(0x28, 0x1053, "DS", "1")]),
    element(0x7fe0, 0x10, "OW", Buffer.from((bits === 16 ? Int16Array : Int32Array).from(values).buffer)),
  ]);
}
