/** The systemd unit for one clone. */

export type Installation = {
  readonly clone: string;
  /** Path of the Node binary that runs it. */
  readonly node: string;
  readonly user: string;
};

/** Facts of the machine that an installation depends on. */
export type Host = { readonly uid: number | undefined; readonly hasSystemd: boolean };

/** @param template - .deploy/filemill.service, which assumes a clone in /opt/filemill. */
export function unitOf(template: string, { clone, node, user }: Installation): string {
  return template
    .replaceAll("/opt/filemill", clone)
    .replace("/usr/bin/env node", node)
    .replace(/^(User|Group)=.*$/gm, `$1=${user}`);
}

/** Why the service cannot be installed; undefined if it can. @param host - Undefined if the unit is only printed. */
export function refusalOf({ clone, node, user }: Installation, host: Host | undefined): string | undefined {
  if (host?.hasSystemd === false) return "This system does not run systemd: see OPERATING.md for other ways, or --print the unit.";
  if (host !== undefined && host.uid !== 0) return "Installing a service needs root: use sudo, or --print the unit.";
  const place = "/opt/filemill is a good place";
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(user)) return `"${user}" is not a valid user name on this system.`;
  // Spaces and percent signs have a special meaning in a unit.
  if (![clone, node].every((path) => /^[\w./+@-]+$/.test(path)))
    return `The clone's path, ${clone}, has characters that a unit file cannot contain: ${place}.`;
  if (/^\/(home|root|run\/user|tmp|var\/tmp)\//.test(`${clone}/`)) {
    return `The service cannot see ${clone}, because it has no access to home and temporary folders: move the clone; ${place}.`;
  }
  return undefined;
}
