/** Which pages an option asks for: a list of pages and ranges of them, counted from 1; all without one. */
export function pagesWanted(asked: unknown): (page: number) => boolean {
  if (typeof asked !== "string" || asked === "") return () => true;
  const ranges = asked.split(",").map((range) => range.split("-").map(Number));
  return (page) => ranges.some(([first = 0, last = first]) => page >= first && page <= last);
}
