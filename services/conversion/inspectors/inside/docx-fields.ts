/** Fields of a Word document that Pandoc omits: links with more than an address, and those that show what their code says, such as `SYMBOL 182`. */
import { type Edit, edited } from "#services/conversion/engines/inside/html-tags.ts";
import { signOf } from "#services/conversion/engines/inside/symbol-fonts.ts";

const marks =
  /<w:fldChar\b[^<>]{0,999}\bw:fldCharType="(begin|separate|end)"[^<>]{0,999}>|<w:instrText\b[^<>]{0,999}>([^<]*)<\/w:instrText>/g;

type Field = { readonly codes: { readonly from: number; readonly to: number; readonly text: string }[]; hasResult: boolean };

export type ShownFields = {
  readonly document: string;
  /** Fields whose text only Word knows, such as numbers of paragraphs. */
  readonly lost: number;
};

/** The document with the text that such fields show. */
export function withShownFields(document: string): ShownFields {
  const [open, edits] = [[] as Field[], [] as Edit[]];
  let lost = 0;
  for (const { 0: mark, 1: kind, 2: code = "", index } of document.matchAll(marks)) {
    const field = open.at(-1);
    if (kind === "begin") open.push({ codes: [], hasResult: false });
    else if (field === undefined) continue;
    else if (kind === undefined) {
      const to = index + mark.length - "</w:instrText>".length;
      field.codes.push({ from: to - code.length, to, text: code });
    } else if (kind === "separate") {
      field.hasResult = true;
      edits.push(...plainLink(field.codes));
    } else {
      open.pop();
      const text = field.hasResult ? "" : shownBy(codeOf(field.codes));
      if (text === undefined) lost += 1;
      else if (text !== "") {
        const end = index + mark.length + (mark.endsWith("/>") ? 0 : "</w:fldChar>".length);
        edits.push({ from: end, to: end, text: `</w:r><w:r><w:t xml:space="preserve">${text}</w:t>` });
      }
    }
  }
  return { document: edited(document, edits) ?? document, lost };
}

const codeOf = (codes: Field["codes"]): string =>
  codes
    .map(({ text }) => text)
    .join("")
    .trim();

/** Pandoc knows links of an address and a place alone, in one piece: no tip, no window, no place in the document itself. */
function plainLink(codes: Field["codes"]): Edit[] {
  const code = codeOf(codes);
  if (!/^HYPERLINK\b/i.test(code)) return [];
  let [address, place, wanted] = ["", "", ""];
  for (const [, quoted, option, bare] of code
    .slice("HYPERLINK".length)
    .replaceAll("&quot;", '"')
    .matchAll(/"([^"]*)"|\\([a-z])|([^\s"\\]+)/gi)) {
    if (option !== undefined) wanted = /[lot]/i.test(option) ? option.toLowerCase() : "";
    else {
      const value = quoted ?? bare ?? "";
      if (wanted === "l") place = value;
      else if (wanted === "") address ||= value;
      wanted = "";
    }
  }
  const target = place === "" ? address : `${address}#${place}`;
  return codes.map(({ from, to }, at) => ({ from, to, text: at === 0 && target !== "" ? ` HYPERLINK "${target}" ` : "" }));
}

/** Undefined if the code does not say it; empty if it shows nothing. */
function shownBy(code: string): string | undefined {
  const [, name = "", rest = ""] = /^(\w{1,30})(.*)$/s.exec(code) ?? [];
  const kind = name.toUpperCase();
  if (kind === "MACROBUTTON" || kind === "GOTOBUTTON") return /^\s+\S+\s(.*)$/s.exec(rest)?.[1] ?? "";
  if (kind === "SYMBOL") return symbolOf(rest);
  return kind === "EQ" || kind === "LISTNUM" || kind.startsWith("AUTONUM") ? undefined : "";
}

function symbolOf(rest: string): string | undefined {
  const number = Number(/^\s*(0x[0-9a-f]{1,6}|\d{1,7})\b/i.exec(rest)?.[1]);
  if (Number.isNaN(number) || number < 0x20 || number > 0x10ffff) return undefined;
  const font = /\\f\s+(?:"|&quot;)?([A-Za-z][A-Za-z0-9 ]{0,60})/.exec(rest)?.[1]?.trim() ?? "";
  const isUnicode = /\\u\b/.test(rest) || number > 0xff;
  const sign =
    signOf(font, number) ?? (isUnicode ? String.fromCodePoint(number) : new TextDecoder("windows-1252").decode(Uint8Array.of(number)));
  return /[<&\ud800-\udfff]/.test(sign) ? `&#${number};` : sign;
}
