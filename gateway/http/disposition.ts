import { create } from "content-disposition";

const MAX_NAME_CHARACTERS = 150;

/**
 * Content-Disposition of a result: the source's base name with the target's extension (RFC 6266). A name with characters outside ASCII is
 * also sent as filename* (RFC 8187). Directories and control, format and bidirectional characters are removed from hostile names;
 * the joiners stay, because words in Persian and Hindi, and emoji, need them.
 */
export function dispositionOf(sourceName: string, extension: string, type: "attachment" | "inline" = "attachment"): string {
  return create(fileNameOf(sourceName, extension), { type });
}

/** The file name of a result, as in `dispositionOf`. */
export function fileNameOf(sourceName: string, extension: string): string {
  const leaf = sourceName.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const clean = leaf
    .normalize("NFC")
    .replace(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]--[\u200C\u200D]]/gv, "")
    .replace(/[<>:"|?*]/g, "_");
  const base = clean.replace(/\.[^.]{1,16}$/, "").replace(/^[.\s\u200C\u200D]{1,255}|[.\s\u200C\u200D]{1,255}$/g, "");
  const short = [...base].slice(0, MAX_NAME_CHARACTERS).join("").trim();
  return `${short === "" ? "result" : short}.${extension}`;
}
