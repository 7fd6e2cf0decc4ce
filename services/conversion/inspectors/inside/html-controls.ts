/** Writes what forms and ruby text of a web page show as text: Pandoc omits it, or runs it together with other text. */
import { attributeIn, type Edit, edited, type Tag, tagsIn } from "#services/conversion/engines/inside/html-tags.ts";

/** Kinds of fields that show their value. Buttons do something instead, and passwords are hidden. */
const typed = /^(?:|text|email|number|tel|url|search|date|time|month|week|datetime-local|range|color)$/i;
const box = (isTicked: boolean): string => (isTicked ? "&#x2612;" : "&#x2610;");
/** The frames of fields keep their values apart. */
const apart = (text: string): string => (text === "" ? "" : ` ${text} `);
const escaped = (text: string): string => text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Undefined if the page has neither. */
export function withControls(html: string): string | undefined {
  if (!/<(?:input|select|textarea|rt)\b/i.test(html)) return undefined;
  const edits: Edit[] = [];
  const tags = [...tagsIn(html)].filter(({ name }) => controls.has(name));
  for (const [place, tag] of tags.entries()) {
    const { name, isEnd, at, end } = tag;
    if (isEnd) continue;
    const text = html.slice(at, end);
    const after = tags[place + 1];
    const close = after?.isEnd === true && after.name === name ? after : undefined;
    if (name === "input") edits.push({ from: at, to: end, text: apart(shownBy(text)) });
    else if (name === "textarea" && close !== undefined)
      edits.push({
        from: at,
        to: close.end,
        text: apart(
          escaped(html.slice(end, close.at))
            .trim()
            .replace(/\r?\n|\r/g, "<br>"),
        ),
      });
    else if (name === "select") edits.push(...chosenIn(html, tags, place));
    else if (name === "rt" && !hasBrackets(tags, place)) {
      edits.push({ from: at, to: at, text: "<rp>(</rp>" });
      const until = close?.end ?? after?.at ?? html.length;
      edits.push({ from: until, to: until, text: "<rp>)</rp>" });
    }
  }
  return edited(html, edits);
}

const controls = new Set(["input", "select", "option", "optgroup", "textarea", "ruby", "rb", "rt", "rp"]);

function shownBy(tag: string): string {
  const kind = attributeIn(tag, "type") ?? "";
  if (/^(?:checkbox|radio)$/i.test(kind)) return box(attributeIn(tag, "checked") !== undefined);
  return typed.test(kind) ? escaped(attributeIn(tag, "value") ?? "") : "";
}

/** Only the chosen options; the first if none is, except where all are shown. */
function chosenIn(html: string, tags: readonly Tag[], place: number): Edit[] {
  const select = tags[place];
  const options: { readonly text: string; readonly isChosen: boolean }[] = [];
  for (let at = place + 1; at < tags.length; at += 1) {
    const tag = tags[at];
    if (select === undefined || tag === undefined || tag.name === "input" || tag.name === "textarea") return [];
    if (tag.name === "select") {
      const isList = attributeIn(html.slice(select.at, select.end), "multiple") !== undefined;
      const chosen = options.filter(({ isChosen }) => isChosen);
      const shown = chosen.length > 0 || isList ? chosen : options.slice(0, 1);
      return [{ from: select.at, to: tag.end, text: apart(shown.map(({ text }) => text).join(", ")) }];
    }
    if (tag.name !== "option" || tag.isEnd) continue;
    const text = html.slice(tag.end, tags[at + 1]?.at ?? html.length).trim();
    options.push({ text, isChosen: attributeIn(html.slice(tag.at, tag.end), "selected") !== undefined });
  }
  return [];
}

/** Whether the page itself has brackets for browsers without ruby text. */
function hasBrackets(tags: readonly Tag[], place: number): boolean {
  return tags[place - 1]?.name === "rp";
}
