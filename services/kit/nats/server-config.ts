import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type BrokerUser, brokerUsers, ownerPermissions, ownerUser, type Permissions, permissionsOf } from "#contract/grants.ts";

const mib = 1024 * 1024;

export type ServerVersion = { readonly text: string; readonly major: number; readonly minor: number };

/** From `nats-server: v2.9.10`. Throws if it contains no version. */
export function parseServerVersion(output: string): ServerVersion {
  const [, text, major, minor] = /((\d{1,9})\.(\d{1,9})\.[0-9A-Za-z.+-]+)/.exec(output) ?? [];
  if (text === undefined) throw new Error("nats-server did not tell its version");
  return { text, major: Number(major), minor: Number(minor) };
}

/** Servers before 2.10 reject the setting and flush every two minutes. */
export function canSyncAlways(version: ServerVersion): boolean {
  return version.major > 2 || (version.major === 2 && version.minor >= 10);
}

/** Passwords of the owner and of each service. */
export type Passwords = Readonly<Record<typeof ownerUser | BrokerUser, string>>;

export type ServerConfig = {
  readonly dir: string;
  /** -1: any free port. */
  readonly port: number;
  readonly passwords: Passwords;
  readonly storeBytes: number;
  readonly version: ServerVersion;
};

function listOf(subjects: readonly string[]): string {
  return `[${subjects.map((subject) => JSON.stringify(subject)).join(", ")}]`;
}

function userLines(user: string, password: string, { publish, subscribe }: Permissions): readonly string[] {
  const deny = publish.deny === undefined ? "" : `, deny: ${listOf(publish.deny)}`;
  return [
    `    { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)}, permissions: {`,
    `      publish: { allow: ${listOf(publish.allow)}${deny} }`,
    `      subscribe: { allow: ${listOf(subscribe.allow)} }`,
    "    } }",
  ];
}

export function serverConfigText(config: ServerConfig): string {
  // Strings in this format follow the rules of JSON. A bare word would be read as a variable or a number.
  const quote = (value: string): string => JSON.stringify(value);
  return [
    "host: 127.0.0.1",
    `port: ${config.port}`,
    "server_name: filemill",
    `pid_file: ${quote(join(config.dir, "server.pid"))}`,
    `ports_file_dir: ${quote(config.dir)}`,
    "max_payload: 1MB",
    "max_connections: 64",
    // No monitoring port, cluster or leaf nodes, and no user in the system account. The owner can access Filemill's streams and no others.
    "authorization {",
    // The server's default, two seconds, is too short for a process that starts on a busy machine.
    "  timeout: 30",
    "  users: [",
    ...userLines(ownerUser, config.passwords[ownerUser], ownerPermissions),
    ...brokerUsers.flatMap((user) => userLines(user, config.passwords[user], permissionsOf(user))),
    "  ]",
    "}",
    "jetstream {",
    `  store_dir: ${quote(join(config.dir, "store"))}`,
    `  max_file_store: ${config.storeBytes}`,
    `  max_memory_store: ${64 * mib}`,
    ...(canSyncAlways(config.version) ? ["  sync_interval: always"] : []),
    "}",
    "",
  ].join("\n");
}

/**
 * The maximum size of the store: a fifth of what the volume could provide. Server 2.9 hangs forever if the disk is full before this limit
 * is reached, and answers properly if the limit comes first.
 */
export async function storeBytesOf(dir: string): Promise<number> {
  const volume = await statfs(dir);
  const possible = volume.bavail * volume.bsize + (await bytesUnder(join(dir, "store")));
  return Math.floor(Math.min(16 * 1024 * mib, Math.max(128 * mib, possible / 5)));
}

export async function bytesUnder(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  let total = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    total += await stat(join(entry.parentPath, entry.name)).then(
      (file) => file.size,
      () => 0,
    );
  }
  return total;
}
