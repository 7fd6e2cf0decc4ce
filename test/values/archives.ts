/** Archives whose members have names, permissions, times and links that programs tend to change. */
import fc from "fast-check";
import { archiveEngine } from "#services/conversion/engines/archives/archive.ts";
import type { Difference, Judge } from "./difference.ts";
import { fieldsOf, isList, type Said } from "./said.ts";

const names = [
  ..."a.txt|a b|.hidden|ü.txt|日本語|👩‍👩‍👧|שלום|a'b|a\"b|a&b|<a>|$HOME|`a`|-rf|--help|@list|~|#a|a#|100%|[a]|{b}|a=b|a;b|a,b|!a".split(
    "|",
  ),
  ..."a\\b|a:b|*?|CON|con|Con|a.|.a.|... |trail | lead|a  b|n.tar.gz|type=dir|mode=0644".split("|"),
  "n".repeat(200),
  "ü".repeat(100),
];
const name = fc.oneof(fc.constantFrom(...names), fc.stringMatching(/^[a-z]{1,8}(\.[a-z]{1,3})?$/));
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const time = fc.oneof(
  fc.integer({ min: 315_619_200, max: 2_000_000_000 }).map(String),
  fc.constantFrom("1700000001.5", "1700000001.123456", "1", "86400", "2147483646"),
);
const member = (sort: string, content: fc.Arbitrary<string>, modes: readonly string[]) =>
  fc.record({ name: path, sort: fc.constant(sort), content, mode: fc.constantFrom(...modes), time });
const file = member("file", fc.oneof(fc.constant(""), fc.string({ maxLength: 40 })), ["644", "755", "600", "444", "400", "640"]);
const folder = member("folder", fc.constant(""), ["755", "700"]);

const saidOf = (each: Readonly<Record<string, string>>): Said => ({
  m: Object.entries(each).map(([key, text]) => [key, { t: text }] as const),
});

/** No folder may have the name of a file, and no name may occur twice. */
const isApart = (members: readonly { readonly name: string; readonly sort: string }[]) =>
  new Set(members.map((each) => each.name.normalize("NFC").toLowerCase())).size === members.length &&
  members.every(({ name: one }) => members.every((other) => other.sort === "folder" || !one.startsWith(`${other.name}/`)));

/** At least one file; some are link targets. */
export const archives: fc.Arbitrary<Said> = fc
  .tuple(file, fc.array(fc.oneof({ weight: 3, arbitrary: file }, folder), { maxLength: 4 }), fc.boolean(), time)
  .filter(([first, more]) => isApart([first, ...more]) && ![first, ...more].some((each) => each.name.startsWith("z-link")))
  .map(([first, more, isLinked, when]) => [
    ...[first, ...more].map(saidOf),
    ...(isLinked ? [saidOf({ name: "z-link", sort: "link", content: first.name, mode: "777", time: when })] : []),
  ]);

function differencesOf(was: Said, is: Said): readonly Difference[] {
  const membersIn = (said: Said) => new Map((isList(said) ? said : []).map((each) => [fieldsOf(each).name ?? "", fieldsOf(each)]));
  const [given, made] = [membersIn(was), membersIn(is)];
  const found: Difference[] = [];
  for (const [place, member] of given) {
    const own = made.get(place);
    const other = place.replaceAll("\\", "/");
    const result = own ?? made.get(other);
    if (own === undefined && result !== undefined) found.push({ change: "name", place, was: place, is: other });
    if (result === undefined) {
      found.push({ change: "sort", place, was: String(member.sort), is: "(missing)" });
      continue;
    }
    for (const key of ["sort", "content", "mode", "time"]) {
      // Permissions of links mean nothing, and few programs set their times.
      if (member.sort === "link" && (key === "mode" || key === "time")) continue;
      if (member[key] === result[key]) continue;
      // An archive need not list a folder, which then gets the time of unpacking.
      if (key === "time" && member.sort === "folder" && Math.trunc(Number(member.time)) === Math.trunc(Number(result.time))) continue;
      const isCut = key === "time" && Math.trunc(Number(member[key])) === Math.trunc(Number(result[key]));
      found.push({ change: isCut ? "rounded" : key, place, was: String(member[key]), is: String(result[key]) });
    }
  }
  const parted = [...given.keys()].flatMap((each) => [each, each.replaceAll("\\", "/")]);
  for (const [place, { sort }] of made) {
    // Parent folders of a member need not be listed.
    const isWay = parted.includes(place) || (sort === "folder" && parted.some((each) => each.startsWith(`${place}/`)));
    if (!given.has(place) && !isWay) found.push({ change: "other", place, was: "(missing)", is: String(sort) });
  }
  return found;
}

export const archiveJudge: Judge = {
  engine: archiveEngine,
  differencesOf: (was, is) => differencesOf(was as Said, is as Said),
  excuses: { rounded: ["NUMBERS_ROUNDED"], sort: ["ENTRIES_LEFT_OUT"], mode: ["PERMISSIONS_REDUCED"], name: ["NAMES_CHANGED"] },
};
