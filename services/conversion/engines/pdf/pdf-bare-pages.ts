/** Finds the pages of a PDF whose text can only be in pictures. */
import { isScan } from "../inside/pdf/scans.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";

export type BarePage = { readonly page: number; readonly letters: number; readonly isPictured: boolean };

/** Pages with more need no closer look. */
const mostLetters = 500;

/**
 * Those without a letter, and scans with a stamp or a signature. `text`: pdftotext's output for
 * the pages from `first`, in the session; it ends each page with a form feed.
 */
export async function barePages(session: ToolSession, text: string, first = 1): Promise<readonly BarePage[]> {
  const count = `BEGIN { RS = "\\f" } { gsub(/[^[:alnum:]\\200-\\377]/, ""); if (length($0) < ${mostLetters}) print NR, length($0) }`;
  const sparse = await numbersFrom(session, "/usr/bin/awk", [count, text]);
  if (sparse.length === 0) return [];
  const shown = await numbersFrom(session, "/usr/bin/pdfimages", ["-list", "-f", String(first), inputInside]);
  const pictured = new Set(shown.map(([page]) => page));
  const pages = sparse.map(([place = 0, letters = 0]) => {
    const page = first + place - 1;
    return { page, letters, isPictured: pictured.has(page) };
  });
  const scans = await scansAmong(
    session,
    pages.filter(({ letters, isPictured }) => letters > 0 && isPictured),
  );
  return pages.filter(({ page, letters }) => letters === 0 || scans.has(page));
}

/** Where text is hidden, it was recognised before. */
async function scansAmong(session: ToolSession, pages: readonly BarePage[]): Promise<ReadonlySet<number>> {
  if (pages.length === 0) return new Set();
  const share = `function numbers(name) {
      match($0, " " name "=\\"[^\\"]*")
      split(substr($0, RSTART + length(name) + 3, RLENGTH), m, /[ "]/)
    }
    function area(name) { numbers(name); return sqrt((m[1] * m[4] - m[2] * m[3]) ^ 2) }
    function seen(at, one, other, low, high,  from, to) {
      from = at + (one < 0) * one + (other < 0) * other; to = at + (one > 0) * one + (other > 0) * other
      from = from < low ? low : from; to = to > high ? high : to
      return to > from ? to - from : 0
    }
    /<page / { numbers("number"); page = m[1]; numbers("mediabox"); split("", box); for (i in m) box[i] = m[i]; pictures = text = hidden = 0 }
    /<fill_image/ { numbers("transform"); pictures += seen(m[5], m[1], m[3], box[1], box[3]) * seen(m[6], m[2], m[4], box[2], box[4]) }
    /<[a-z_]+_text / { scale = area("transform") }
    /<ignore_text/ { hidden = 1 }
    /<span / { size = scale * area("trm") }
    /<g / { numbers("adv"); text += m[1] * size }
    /<\\/page>/ { all = (box[3] - box[1]) * (box[4] - box[2]); if (!hidden && all > 0) printf "%d %.4f %.4f\\n", page, pictures / all, text / all }`;
  const traced = `/usr/bin/mutool trace "$1" "$2" | LC_ALL=C /usr/bin/awk "$3"`;
  const args = ["-c", traced, "sh", inputInside, pages.map(({ page }) => page).join(","), share];
  const shares = new Map((await numbersFrom(session, "/bin/sh", args)).map(([page = 0, ...rest]) => [page, rest]));
  return new Set(
    pages.flatMap(({ page, letters }) => {
      const [pictures = 0, text = 0] = shares.get(page) ?? [];
      return isScan({ letters, pictures, text }) ? [page] : [];
    }),
  );
}

/** The numbers at the start of each line. */
async function numbersFrom(session: ToolSession, program: string, args: readonly string[]): Promise<readonly (readonly number[])[]> {
  const { stdout } = await session.run({ program, args, env: { LC_ALL: "C" } });
  return [...stdout.matchAll(/^ *(\d{1,6})(?: +([\d.]{1,10}))?(?: +([\d.]{1,10}))?/gm)].map(([, ...found]) =>
    found.filter((each) => each !== undefined).map(Number),
  );
}
