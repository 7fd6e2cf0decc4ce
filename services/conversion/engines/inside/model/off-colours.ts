/**
 * The colours of OFF models. Assimp reads vertex colours as fractions and skips all others.
 *
 * @see http://www.geomview.org/docs/html/OFF.html
 */

export type OffColours = {
  /** Colours of vertices, which assimp reads. */
  readonly hasColours: boolean;
  /** Colours of faces, or of vertices that the first line does not announce. */
  readonly hasOthers: boolean;
};

/** The model with its vertex colours as fractions. */
export function plainOff(text: string): OffColours & { readonly text: string } {
  const lines = text.split("\n");
  const filled = lines.flatMap((line, at) => {
    const words = wordsOf(line);
    return words.length === 0 ? [] : [{ at, words }];
  });
  const [kind, texture, colour, normal, fourth] = /^(ST)?(C)?(N)?(4)?OFF$/.exec(filled[0]?.words[0] ?? "") ?? [];
  if (kind === undefined) return { text, hasColours: false, hasOthers: false };
  const [, ...told] = filled[0]?.words ?? [];
  const body = filled.slice(told.length === 0 ? 2 : 1);
  const [vertexCount = 0, faceCount = 0] = (told.length === 0 ? (filled[1]?.words ?? []) : told).map(Number);
  const vertices = body.slice(0, vertexCount);
  const faces = body.slice(vertexCount, vertexCount + faceCount);
  const start = 3 + (fourth === undefined ? 0 : 1) + (normal === undefined ? 0 : 3);
  const end = colour === undefined ? start : start + 4;
  const isPainted = faces.some(({ words }) => words.length > Number(words[0]) + 1);
  const hasOthers = isPainted || (colour === undefined && texture === undefined && vertices.some(({ words }) => words.length > start));
  const isOfBytes = vertices.some(({ words }) => words.slice(start, end).some((part) => Number(part) > 1));
  if (isOfBytes)
    for (const { at, words } of vertices)
      lines[at] = words.map((word, place) => (place >= start && place < end ? String(Number(word) / 255) : word)).join(" ");
  return { text: lines.join("\n"), hasColours: colour !== undefined, hasOthers };
}

function wordsOf(line: string): readonly string[] {
  return line
    .split("#", 1)
    .join("")
    .split(/\s+/)
    .filter((word) => word !== "");
}
