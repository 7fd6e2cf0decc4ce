/** Plain text in which backticks mark code. */
export function Prose({ text }: { text: string }) {
  const pieces = text.split("`").map((piece, index) => ({ piece, key: `${index} ${piece}`, isCode: index % 2 === 1 }));
  return <>{pieces.map(({ piece, key, isCode }) => (isCode ? <code key={key}>{piece}</code> : piece))}</>;
}
