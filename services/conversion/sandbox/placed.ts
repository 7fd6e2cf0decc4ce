/** Without a mount namespace a program needs the paths of the host where a recipe names those of the sandbox. */

/**
 * Replaces paths of the sandbox, and what lies below them, in a text such as an argument.
 *
 * @param places - Path inside the sandbox and its path on the host. The longest path wins.
 */
export function placedBy(places: readonly (readonly [inside: string, host: string])[]): (text: string) => string {
  const hostOf = new Map(places);
  const longestFirst = [...hostOf.keys()].sort((one, other) => other.length - one.length);
  if (longestFirst.length === 0) return (text) => text;
  // In one pass, because a path of the host may itself contain `/job`.
  const pattern = new RegExp(`(?:${longestFirst.map((path) => path.replace(/\W/g, "\\$&")).join("|")})(?![\\w.-])`, "g");
  return (text) => text.replace(pattern, (inside) => hostOf.get(inside) ?? inside);
}
