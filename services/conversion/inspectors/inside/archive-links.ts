/** Where the links of an archive lead, and what is behind them. Linear in the length of all names, because they come from a stranger. */
import { behindLink } from "#services/conversion/engines/archives/archive-refusals.ts";
import type { Member } from "./archive-listing.ts";

/** A place in the archive with the member there. Folders may have none. */
type Place = { member?: Member; readonly inside: Map<string, Place> };

const stepsOf = (name: string): string[] => name.split("/").filter((step) => step !== "" && step !== ".");
/** On many systems, names that differ only in case or in the composition of letters are the same. */
const folded = (name: string): string => name.normalize("NFC").toLowerCase();
const isLink = ({ sort }: Member): boolean => sort !== "file" && sort !== "dir";

function treeOf(members: readonly Member[], nameOf: (member: Member) => string): Place {
  const root: Place = { inside: new Map() };
  for (const member of members) {
    let at = root;
    for (const step of stepsOf(nameOf(member))) {
      const next = at.inside.get(step) ?? { inside: new Map() };
      at.inside.set(step, next);
      at = next;
    }
    at.member = member;
  }
  return root;
}

/**
 * Refuses members that are behind a link or a file, or share a link's name, because unpacking them in order would follow the link. The
 * listing shows one member for each name, while `names` contains all of them.
 *
 * @throws FilemillError INVALID_INPUT
 */
export function assertNothingBehindLinks(names: readonly string[], members: readonly Member[]): void {
  const tree = treeOf(members, ({ name }) => name);
  const links = treeOf(members.filter(isLink), ({ name }) => folded(name));
  const named = new Set<Place>();
  for (const name of names) {
    const steps = stepsOf(name);
    const alike = stepsOf(folded(name));
    if (isBehind(tree, steps) || isBehind(links, alike)) throw behindLink();
    const link = placeOf(links, alike);
    if (link?.member === undefined) continue;
    if (named.has(link)) throw behindLink();
    named.add(link);
  }
}

function placeOf(root: Place, steps: readonly string[]): Place | undefined {
  let at: Place | undefined = root;
  for (const step of steps) at = at?.inside.get(step);
  return at;
}

function isBehind(root: Place, steps: readonly string[]): boolean {
  let at: Place | undefined = root;
  for (const step of steps.slice(0, -1)) {
    at = at.inside.get(step);
    if (at === undefined) return false;
    if (at.member !== undefined && at.member.sort !== "dir") return true;
  }
  return false;
}

/** Whether several members have the same name. */
export function hasTwins(names: readonly string[]): boolean {
  return new Set(names.map((name) => stepsOf(name).join("/"))).size < names.length;
}

/** How many files precede others of their name, of which only the last is passed on. A folder may well be listed twice. */
export function shadowedIn(names: readonly string[], members: readonly Member[]): number {
  const folders = new Set(members.filter(({ sort }) => sort === "dir").map(({ name }) => stepsOf(name).join("/")));
  const files = names.map((name) => stepsOf(name).join("/")).filter((name) => !folders.has(name));
  return files.length - new Set(files).size;
}

/** As many as Linux follows for one name. */
const maxFollowed = 40;
/** For all links together: more than a million files of source code need. */
const maxSteps = 2_000_000;

/**
 * Devices, pipes and sockets, and links that do not end at a member. Links are followed step by step, as a system does, because a path that
 * looks harmless may lead through another link.
 */
export function unwantedOf(members: readonly Member[]): ReadonlySet<Member> {
  const root = treeOf(members, ({ name }) => name);
  let left = maxSteps;

  function endsAtMember(name: string): boolean {
    const ahead = name.split("/").reverse();
    const way = [root];
    let followed = 0;
    for (let step = ahead.pop(); step !== undefined; step = ahead.pop()) {
      left -= 1;
      if (left < 0) return false;
      if (step === "" || step === ".") continue;
      if (step === "..") {
        way.pop();
        if (way.length === 0) return false;
        continue;
      }
      const next = way.at(-1)?.inside.get(step);
      const link = next?.member?.sort === "link" ? next.member.link : undefined;
      if (next === undefined || (next.member !== undefined && link === undefined && isLink(next.member))) return false;
      if (link === undefined) {
        way.push(next);
        continue;
      }
      followed += 1;
      if (followed > maxFollowed || leavesSystem(link)) return false;
      for (const each of link.split("/").reverse()) ahead.push(each);
    }
    return true;
  }

  return new Set(members.filter((member) => isLink(member) && !endsAtMember(member.name)));
}

/** An absolute path on this system or on Windows, or one with backslashes, which some programs treat as slashes. */
function leavesSystem(target: string): boolean {
  return target === "" || /^\/|^[A-Za-z]:|\\|\0/.test(target);
}
