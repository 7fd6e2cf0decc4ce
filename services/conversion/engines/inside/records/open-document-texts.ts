/** The text of cells in an OpenDocument. @see OpenDocument 1.3 part 3, 6.1.2 on white space */

const opening = "<table:table-cell";
const covered = "<table:covered-table-cell";
const closing = "</table:table-cell>";
const coveredClosing = "</table:covered-table-cell>";

/**
 * Its XML, one character per byte, with cell text copied into value attributes: the library trims all kinds of
 * blanks, treats `_x0041_` as an escape, doubles an empty first line, and drops cells covered by a merged one.
 */
export function withReadTexts(content: string): string {
  const shown = uncovered(content);
  const parts: string[] = [];
  let [done, end] = [0, 0];
  for (let at = shown.indexOf(opening); at >= 0; at = shown.indexOf(opening, at + 1)) {
    const start = shown.indexOf(">", at) + 1;
    if (start === 0) break;
    const tag = shown.slice(at, start);
    if (tag.endsWith("/>") || !isText(tag)) continue;
    if (end < start) end = shown.indexOf(closing, start);
    if (end < 0) break;
    const next = shown.indexOf(opening, start);
    // A cell with a nested table.
    if (next >= 0 && next < end) continue;
    const inner = shown.slice(start, end);
    // CDATA sections and comments are left to the library.
    if (inner.includes("<!")) continue;
    parts.push(shown.slice(done, at), `${tag.slice(0, -1)} office:string-value="${textOf(inner)}">`, withOpenParagraphs(inner));
    done = end;
  }
  return parts.join("") + shown.slice(done);
}

/** A self-closed one adds a line, whatever the value. */
const withOpenParagraphs = (inner: string): string => inner.replaceAll("<text:p/>", "<text:p></text:p>");

const isText = (tag: string): boolean => /\soffice:value-type=["']string["']/.test(tag) && !tag.includes("office:string-value=");

/** Covered cells with content become ordinary cells. */
function uncovered(content: string): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = content.indexOf(covered); at >= 0; at = content.indexOf(covered, Math.max(at + 1, done))) {
    const start = content.indexOf(">", at) + 1;
    if (start === 0) break;
    const tag = content.slice(at, start);
    if (tag.endsWith("/>") || !/\soffice:value-type=/.test(tag)) continue;
    const end = content.indexOf(coveredClosing, start);
    if (end < 0) break;
    parts.push(content.slice(done, at), opening, content.slice(at + covered.length, end), closing);
    done = end + coveredClosing.length;
  }
  return parts.join("") + content.slice(done);
}

const markup = /<([^<>]*)>|([^<]+)/g;
const blanks = /[ \t\r\n]+/g;
/** The paragraphs of a cell as lines, escaped for an attribute. */
function textOf(inner: string): string {
  const lines: string[] = [];
  let line = "";
  let isBlank = false;
  let beside = 0;
  let depth = 0;
  const put = (text: string) => {
    line += (isBlank ? " " : "") + text;
    isBlank = false;
  };
  for (const [, tag = "", text] of inner.matchAll(markup)) {
    const name = /^\/?([\w:-]+)/.exec(tag)?.[1] ?? "";
    const [isEnd, isEmpty] = [tag.startsWith("/"), tag.endsWith("/")];
    if (name === "office:annotation" && !isEmpty) beside += isEnd ? -1 : 1;
    if (beside > 0) continue;
    if (name === "text:p") {
      if (!isEnd && depth === 0) [line, isBlank] = ["", false];
      if (!isEmpty) depth += isEnd ? -1 : 1;
      if (depth === 0) lines.push(line);
    } else if (depth === 0) continue;
    else if (name === "text:s" && !isEnd) put(" ".repeat(Math.min(32_767, Number(/text:c=["'](\d+)/.exec(tag)?.[1] ?? 1))));
    else if (name === "text:tab" && !isEnd) put("&#9;");
    else if (name === "text:line-break" && !isEnd) put("&#10;");
    else if (text !== undefined) {
      const words = text.replace(blanks, " ");
      isBlank ||= words.startsWith(" ") && line !== "";
      const bare = words.replace(/^ | $/g, "");
      if (bare !== "") put(bare);
      isBlank ||= bare !== "" && words.endsWith(" ");
    }
  }
  return lines
    .join("&#10;")
    .replaceAll('"', "&quot;")
    .replaceAll(">", "&gt;")
    .replace(/_(?=x[\da-f]{4}_)/gi, "_x005F_");
}
