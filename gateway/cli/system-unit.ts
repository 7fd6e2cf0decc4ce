/** The unit of systemd for one clone. */

export type Installation = {
  readonly clone: string;
  /** The program that runs it. */
  readonly node: string;
  readonly user: string;
};

/** What installing asks of the machine. */
export type Host = { readonly uid: number | undefined; readonly hasSystemd: boolean };

/** @param template - .deploy/filemill.service, which is right for a clone in /opt/filemill. */
export function unitOf(template: string, { clone, node, user }: Installation): string {
  return template
    .replaceAll("/opt/filemill", clone)
    .replace("/usr/bin/env node", node)
    .replace(/^(User|Group)=.*$/gm, `$1=${user}`);
}

/** Why it cannot be done; undefined when it can. @param host - Undefined: the unit is only to be shown. */
export function refusalOf({ clone, node, user }: Installation, host: Host | undefined): string | undefined {
  if (host?.hasSystemd === false) return "This system does not run systemd: see OPERATING.md for other ways, or --print the unit.";
  if (host !== undefined && host.uid !== 0) return "Installing a service needs root: use sudo, or --print the unit.";
  const place = "/opt/filemill is a good place";
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(user)) return `"${user}" is not a valid user name on this system.`;
  // Blanks and percent signs mean something in a unit.
  if (![clone, node].every((path) => /^[\w./+@-]+$/.test(path)))
    return `The clone's path, ${clone}, has characters that a unit file cannot contain: ${place}.`;
  if (/^\/(home|root|run\/user|tmp|var\/tmp)\//.test(`${clone}/`)) {
    return `The service cannot see ${clone}, because it has no access to home and temporary folders: move the clone; ${place}.`;
  }
  return undefined;
}
