/** Which pages an option selects: a list of pages and page ranges, counted from 1; all pages if it is empty. */
export function pagesWanted(asked: unknown): (page: number) => boolean {
  if (typeof asked !== "string" || asked === "") return () => true;
  const ranges = asked.split(",").map((range) => range.split("-").map(Number));
  return (page) => ranges.some(([first = 0, last = first]) => page >= first && page <= last);
}
