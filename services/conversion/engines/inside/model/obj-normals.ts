/** Normals of OBJ; assimp scales them with their shapes. */

const pieceBytes = 2 ** 26;
const newline = 10;

/** Gives each a length of 1, piece by piece, because a string cannot be as long as a file. */
export function unitNormals(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(newline, at + pieceBytes) + 1 || bytes.length;
    const text = bytes.toString("latin1", at, end);
    pieces.push(Buffer.from(text.replaceAll(/^vn ([^ \n]+) ([^ \n]+) ([^ \n]+)$/gm, unitNormal), "latin1"));
    at = end;
  }
  return Buffer.concat(pieces);
}

function unitNormal(line: string, ...words: readonly unknown[]): string {
  const normal = words.slice(0, 3).map(Number);
  const length = Math.hypot(...normal);
  if (!(length > 0) || Math.abs(length - 1) < 1e-4) return line;
  return `vn ${normal.map((value) => Number((value / length).toPrecision(9))).join(" ")}`;
}
