/** Where the links of an archive lead, and what lies behind them. Linear in the length of all names, which are a stranger's. */
import { behindLink } from "#services/conversion/engines/archives/archive-refusals.ts";
import type { Member } from "./archive-listing.ts";

/** A place in the archive, with the member that is there; folders may have none. */
type Place = { member?: Member; readonly inside: Map<string, Place> };

const stepsOf = (name: string): string[] => name.split("/").filter((step) => step !== "" && step !== ".");
/** Names that differ in case or in how letters are composed are the same on many systems. */
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
 * Refuses members that lie behind a link or a file, or share a link's name: who unpacks them one after the other follows the link.
 * The listing knows one member of each name; `names` are all there are.
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

/** Whether several members have one name. */
export function hasTwins(names: readonly string[]): boolean {
  return new Set(names.map((name) => stepsOf(name).join("/"))).size < names.length;
}

/** As many as Linux follows for one name. */
const maxFollowed = 40;
/** Of all links together: more than a million files of source code have. */
const maxSteps = 2_000_000;

/**
 * Devices, pipes and sockets, and links that do not end at a member: step by step, as a system follows them, since a way that looks
 * harmless may lead through another link.
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

/** An absolute path of this system or of Windows, or one with backslashes, which some take for slashes. */
function leavesSystem(target: string): boolean {
  return target === "" || /^\/|^[A-Za-z]:|\\|\0/.test(target);
}
