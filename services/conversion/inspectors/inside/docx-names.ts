/**
 * Gives the parts of a DOCX the names that Word gives them, by which Pandoc and our own readers find them.
 * The standard lets a writer choose any name; only the relationships tell what a part is.
 * @see ECMA-376 part 2, 6.5
 */
import { posix } from "node:path";
import { attributeIn } from "#services/conversion/engines/inside/html-tags.ts";

type Parts = Readonly<Record<string, Uint8Array>>;

const [main, packageRelations, types] = ["word/document.xml", "_rels/.rels", "[Content_Types].xml"] as const;
const named = new Set(["styles", "numbering", "footnotes", "endnotes", "comments"]);
const relationsOf = (part: string): string => posix.join(posix.dirname(part), "_rels", `${posix.basename(part)}.rels`);
const textOf = (parts: Parts, name: string): string => Buffer.from(parts[name] ?? "").toString("utf8");
const absolute = (folder: string, target: string): string => posix.join("/", folder, target).slice(1);

const relationTag = /<(?:\w+:)?Relationship\s[^<>]*>/g;
type Relation = { readonly tag: string; readonly kind: string; readonly target: string };

function relationsIn(parts: Parts, part: string): Relation[] {
  return (textOf(parts, part === "" ? packageRelations : relationsOf(part)).match(relationTag) ?? [])
    .filter((tag) => attributeIn(tag, "targetmode") !== "External")
    .map((tag) => {
      const [kind = "", target = ""] = [attributeIn(tag, "type"), attributeIn(tag, "target")];
      return { tag, kind: kind.slice(kind.lastIndexOf("/") + 1), target: absolute(part === "" ? "" : posix.dirname(part), target) };
    });
}

/** Undefined if all have their usual names. */
export function withUsualNames(parts: Parts): Record<string, Uint8Array> | undefined {
  const given = relationsIn(parts, "").find(({ kind }) => kind === "officeDocument")?.target ?? main;
  if (parts[given] === undefined) return undefined;
  const usual = new Map<string, string>([[given, main]]);
  for (const [place, { kind, target }] of relationsIn(parts, given).entries()) {
    if (named.has(kind)) usual.set(target, `word/${kind}.xml`);
    else if (/^(?:header|footer)$/.test(kind) && !/^word\/(?:header|footer)\d*\.xml$/.test(target))
      usual.set(target, `word/${kind}${1000 + place}.xml`);
  }
  const moved = new Map([...usual].filter(([name, wanted]) => name !== wanted && parts[name] !== undefined));
  if (moved.size === 0) return undefined;
  const made: Record<string, Uint8Array> = { ...parts };
  for (const name of moved.keys()) for (const each of [name, relationsOf(name)]) delete made[each];
  for (const part of ["", ...usual.keys(), ...moved.keys()]) {
    const relations = textOf(parts, part === "" ? packageRelations : relationsOf(part));
    const wanted = moved.get(part) ?? part;
    if (relations !== "")
      made[part === "" ? packageRelations : relationsOf(wanted)] = Buffer.from(withTargets(parts, part, relations, moved));
    if (moved.has(part)) made[wanted] = parts[part] ?? new Uint8Array();
  }
  const told = textOf(parts, types).replace(/(\sPartName\s*=\s*["']\/)([^"'<>]*)/g, (whole, start: string, name: string) => {
    const wanted = moved.get(name);
    return wanted === undefined ? whole : start + wanted;
  });
  return { ...made, [types]: Buffer.from(told) };
}

/** The relationships of a part, with targets that hold wherever it is. */
function withTargets(parts: Parts, part: string, relations: string, moved: ReadonlyMap<string, string>): string {
  const edits = new Map<string, string>();
  for (const { tag, target } of relationsIn(parts, part)) {
    const wanted = moved.get(target) ?? (moved.has(part) ? target : undefined);
    if (wanted !== undefined)
      edits.set(
        tag,
        tag.replace(/(\sTarget\s*=\s*["'])[^"'<>]*/, (_whole, start: string) => `${start}/${wanted}`),
      );
  }
  return relations.replace(relationTag, (tag) => edits.get(tag) ?? tag);
}
