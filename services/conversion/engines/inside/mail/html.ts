/** Messages as pages that show and load only their own content. */
import sanitizeHtml from "sanitize-html";
import { withoutEscapes } from "../entities.ts";
import type { Notes } from "../exchange.ts";
import { type Attachment, filesOf, headerRowsOf, type Message, noteLeftOut } from "./message.ts";

/** Presentational attributes from decades of mail; nothing that runs, loads or submits. */
const looks =
  "style class align valign bgcolor color face size width height border cellpadding cellspacing colspan rowspan dir lang title".split(" ");

/** A style that would load something, or hides that behind escapes or comments. */
const loadingStyle = /url|image|expression|import|behavior|binding|\\|\/\*/i;

export function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

/** A data URL for a picture type that pages can show. */
function addressOf({ mime, name, bytes }: Attachment): string | undefined {
  // Some programs tell the type only by the name.
  const [, end = ""] = /\.(png|jpe?g|gif|webp|bmp)$/i.exec(name) ?? [];
  const type = /^application\/octet-stream$/i.test(mime) ? `image/${end}` : mime;
  if (!/^image\/(png|jpe?g|gif|webp|bmp)$/i.test(type)) return undefined;
  return `data:${type.toLowerCase().replace("jpg", "jpeg")};base64,${Buffer.from(bytes).toString("base64")}`;
}

/** The body as sent, with its own pictures embedded and no other references. Adds the referenced pictures to `shown`. */
function safeBodyOf(message: Message, html: string, notes: Notes, shown: Set<Attachment>): string {
  const ofIds = new Map(message.attachments.toReversed().map((each) => [each.contentId, each]));
  // Older programs refer to their pictures by name.
  const ofNames = new Map(message.attachments.toReversed().map((each) => [each.name, each]));
  const pictureOf = (source: string): string | undefined => {
    if (/^data:image\/(png|jpeg|gif|webp|bmp);base64,[A-Za-z0-9+/=\s]*$/i.test(source)) return source;
    const id = /^cid:(.*)$/i.exec(source)?.[1];
    const found = id === undefined ? ofNames.get(source) : ofIds.get(withoutEscapes(id));
    const address = found === undefined ? undefined : addressOf(found);
    if (found !== undefined && address !== undefined) shown.add(found);
    return address;
  };
  if (/<(style|link)\b/i.test(html)) notes.set("STYLING_DROPPED", undefined);
  return sanitizeHtml(html, {
    allowedTags: [...sanitizeHtml.defaults.allowedTags, "img", "font", "center", "del", "ins", "big", "strike", "tt"],
    allowedAttributes: { "*": looks, a: ["href", "name"], img: ["src", "alt"], ol: ["start", "type"] },
    allowedSchemes: ["http", "https", "mailto", "tel"],
    allowedSchemesByTag: { img: ["data"] },
    // Styles are checked below; this option would run a parser per attribute.
    parseStyleAttributes: false,
    transformTags: {
      "*": (tagName, attribs) => ({ tagName, attribs: withoutLoadingStyle(attribs, notes) }),
      img: (_tagName, attribs) => {
        const source = pictureOf(attribs["src"]?.trim() ?? "");
        if (source !== undefined) return { tagName: "img", attribs: { ...withoutLoadingStyle(attribs, notes), src: source } };
        notes.set("IMAGES_REMOVED", undefined);
        return { tagName: "span", attribs: {}, text: attribs["alt"] ?? "" };
      },
    },
    nestingLimit: 200,
    // Removed with their content, which would otherwise become text: a title would appear above the message.
    nonTextTags: ["script", "style", "textarea", "option", "noscript", "title"],
  });
}

/** Inline pictures that no text of the message refers to: mail programs show them below it. */
function unreferredOf(message: Message, shown: Set<Attachment>): string {
  const pictures = message.attachments.filter((each) => each.isInline && !shown.has(each));
  const tags = pictures.flatMap((each) => {
    const address = addressOf(each);
    if (address === undefined) return [];
    shown.add(each);
    return [`\n<p><img src="${address}" alt="${escapeHtml(each.name)}"></p>`];
  });
  return tags.join("");
}

function withoutLoadingStyle(attribs: sanitizeHtml.Attributes, notes: Notes): sanitizeHtml.Attributes {
  const { style, ...rest } = attribs;
  if (style === undefined) return rest;
  if (!loadingStyle.test(style)) return { ...rest, style };
  notes.set("STYLING_DROPPED", undefined);
  return rest;
}

function sectionOf(message: Message, notes: Notes, shown: Set<Attachment>): string {
  const headers = headerRowsOf(message)
    .map(([name, value]) => `<tr><th align="left" valign="top">${name}</th><td>${escapeHtml(value)}</td></tr>`)
    .join("\n");
  const body =
    message.html === undefined
      ? `<pre style="white-space: pre-wrap">${escapeHtml(message.text ?? "")}</pre>`
      : safeBodyOf(message, message.html, notes, shown);
  const forwarded = message.attachments.flatMap((each) =>
    each.message === undefined ? [] : [`\n<hr>\n${sectionOf(each.message, notes, shown)}`],
  );
  return `<table>\n${headers}\n</table>\n<hr>\n<div>\n${body}${unreferredOf(message, shown)}\n</div>${forwarded.join("")}`;
}

/** A page without scripts, which its own policy also forbids. */
export function pageOf(title: string, body: string): string {
  const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
  return (
    `<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">\n` +
    `<title>${escapeHtml(title)}</title>\n</head>\n<body>\n${body}\n</body>\n</html>\n`
  );
}

export function writeHtml(messages: readonly Message[], notes: Notes): string {
  const [first] = messages;
  const title = messages.length === 1 && first !== undefined && first.subject !== "" ? first.subject : `${messages.length} messages`;
  const shown = new Set<Attachment>();
  const page = pageOf(title, messages.map((message) => sectionOf(message, notes, shown)).join("\n<hr>\n"));
  noteLeftOut(
    messages.flatMap(filesOf).filter((each) => !shown.has(each)),
    notes,
  );
  return page;
}
