/** A separate network for each host, joined by one switch: a cut is real to the kernel. Requires root. */
import { execFileSync } from "node:child_process";

export type Network = AsyncDisposable & {
  /** Address of this process in that network. */
  readonly ownAddress: string;
  addHost(address: string): void;
  /** Wraps the command to run on that host. */
  at(address: string, command: readonly [string, ...string[]]): readonly [string, ...string[]];
  cut(address: string): void;
  mend(address: string): void;
};

export const addressOf = (number: number): string => `10.123.0.${number}`;

export function openNetwork(): Network {
  const tag = `fm${process.pid}`;
  const switchName = `${tag}-sw`;
  const names = new Map<string, { readonly space: string; readonly port: string }>();
  const ip = (...args: string[]) => execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
  const end = (): void => {
    for (const space of [...[...names.values()].map((host) => host.space), switchName]) {
      try {
        ip("netns", "del", space);
      } catch {
        // It was never created, or is already gone.
      }
    }
    names.clear();
  };
  process.once("exit", end);
  ip("netns", "add", switchName);
  ip("-n", switchName, "link", "add", "bridge", "type", "bridge");
  ip("-n", switchName, "link", "set", "bridge", "up");
  const plug = (space: string | undefined, end: string, port: string, address: string): void => {
    const inside = space === undefined ? [] : ["-n", space];
    ip(...inside, "link", "add", end, "type", "veth", "peer", "name", port, "netns", switchName);
    ip(...inside, "address", "add", `${address}/24`, "dev", end);
    ip(...inside, "link", "set", end, "up");
    ip("-n", switchName, "link", "set", port, "master", "bridge", "up");
  };
  const ownAddress = addressOf(1);
  plug(undefined, `${tag}r`, "root", ownAddress);
  const portOf = (address: string): string => names.get(address)?.port ?? "";
  return {
    ownAddress,
    addHost(address) {
      const number = address.split(".").at(-1) ?? "";
      const host = { space: `${tag}-${number}`, port: `p${number}` };
      ip("netns", "add", host.space);
      names.set(address, host);
      ip("-n", host.space, "link", "set", "lo", "up");
      plug(host.space, "eth0", host.port, address);
    },
    at: (address, command) => ["ip", "netns", "exec", names.get(address)?.space ?? "", ...command],
    cut: (address) => void ip("-n", switchName, "link", "set", portOf(address), "down"),
    mend: (address) => void ip("-n", switchName, "link", "set", portOf(address), "up"),
    async [Symbol.asyncDispose]() {
      end();
      process.off("exit", end);
    },
  };
}
