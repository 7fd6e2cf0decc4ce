/**
 * Rewrites fences of code in Markdown that Pandoc takes for text: with more than a language after them, right after text, or without an end.
 * @see https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { writeToHost } from "./exchange.ts";
import { contentOf } from "./remote-file.ts";

/** Far more than Pandoc can read with its memory limit. */
const mostBytes = 64 * 2 ** 20;

/** Writes the rewritten text if there is something to change. Fences are ASCII in every encoding of single bytes. */
export async function readableMarkdown(file: ByteSource): Promise<Answer<"readableMarkdown">> {
  const text = file.sizeBytes > mostBytes ? "" : (await contentOf(file)).toString("latin1");
  const made = withSimpleFences(text);
  if (made !== undefined) writeToHost(Buffer.from(made, "latin1"));
  return { isRewritten: made !== undefined };
}

/** A quotation or an item may stand before a fence. */
const opening = /^((?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t]){0,40})(`{3,}|~{3,})/;
const closing = /^[ \t>]{0,200}(`{3,}|~{3,})[ \t]*\r?$/;
const item = /^[ \t>]{0,40}(?:[-*+]|\d{1,9}[.)])[ \t]/;

/** Undefined if Pandoc knows all fences. */
export function withSimpleFences(text: string): string | undefined {
  if (!text.includes("```") && !text.includes("~~~")) return undefined;
  let [open, isListed, before] = ["", false, ""];
  const lines = text.split("\n").flatMap((line): string | string[] => {
    const [last, isFirst] = [before, open === ""];
    before = line;
    if (!isFirst) {
      const fence = closing.exec(line)?.[1] ?? "";
      if (fence.startsWith(open)) open = "";
      return line;
    }
    const [start = "", prefix = "", fence = ""] = opening.exec(line) ?? [];
    const end = line.endsWith("\r") ? "\r" : "";
    const info = line.slice(start.length, line.length - end.length);
    const isIndented = /^(?: {4}|\t)/.test(line);
    if (!isIndented && line.trim() !== "") isListed = item.test(line);
    // Deeper lines outside a list are code already, and backticks after backticks are code within a line.
    if (fence === "" || (isIndented && !isListed) || (fence.startsWith("`") && info.includes("`"))) return line;
    open = fence;
    const simple = `${prefix}${fence}${simpleInfo(info)}${end}`;
    return fence.startsWith("~") && prefix === "" && last.trim() !== "" ? [end, simple] : simple;
  });
  if (open !== "" && /^[`~]{3}/.test(lines.findLast((line) => opening.test(line)) ?? "")) lines.push(open);
  const made = lines.join("\n");
  return made === text ? undefined : made;
}

/** The language alone, unless it is a word or attributes of Pandoc. */
function simpleInfo(info: string): string {
  if (/^(?:\S*|\{[.#][^{}]*\})$/.test(info.trim())) return info;
  return /[^\s{}.]+/.exec(info)?.[0] ?? "";
}
