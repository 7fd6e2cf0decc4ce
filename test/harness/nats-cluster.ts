/** Three nats-servers that replicate each other's streams, each in its own process. */
import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "#test/faults/deployment.ts";
import { type Keeper, keep } from "#test/faults/keeper.ts";

export type NatsCluster = AsyncDisposable & {
  /** Addresses of all three, with user and password. */
  readonly url: string;
  readonly servers: readonly Keeper[];
};

export type ClusterPlace = {
  readonly home: string;
  readonly addresses?: readonly string[];
  /** Runs the command in the network environment of that address. */
  readonly at?: (address: string, command: readonly [string, ...string[]]) => readonly [string, ...string[]];
};

const password = "nats-cluster-password";

export async function openNatsCluster({ home, addresses = Array(3).fill("127.0.0.1"), at }: ClusterPlace): Promise<NatsCluster> {
  await using stack = new AsyncDisposableStack();
  const ports = await freePorts(addresses.length * 2);
  const members = addresses.map((address, index) => ({ address, port: ports[index * 2], route: ports[index * 2 + 1] }));
  const routes = members.map(({ address, route }) => `"nats-route://${address}:${route}"`).join(", ");
  const servers: Keeper[] = [];
  for (const [index, { address, port, route }] of members.entries()) {
    const dir = join(home, `nats-${index}`);
    mkdirSync(dir, { recursive: true });
    const config = join(dir, "server.conf");
    const text = `server_name: n${index}
listen: "${address}:${port}"
max_payload: 1MB
authorization { timeout: 30, users: [ { user: "filemill", password: "${password}" } ] }
cluster { name: filemill, listen: "${address}:${route}", routes: [${routes}] }
jetstream { store_dir: "${join(dir, "store")}", max_file_store: 2GB, max_memory_store: 64MB }
`;
    await writeFile(config, text);
    const command = ["nats-server", "--config", config] as const;
    const env = { PATH: `${process.env.PATH}:/usr/sbin` };
    servers.push(
      stack.use(keep({ name: `nats-${index}`, command: at?.(address, [...command]) ?? command, env, logFile: join(home, "nats.log") })),
    );
  }
  const owned = stack.move();
  const url = members.map(({ address, port }) => `nats://filemill:${password}@${address}:${port}`).join(",");
  return { url, servers, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
