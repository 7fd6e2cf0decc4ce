/** Two layers keep engines off the network. Each is tested with the other disabled; disabling both shows that the test can fail. */
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SandboxLimits } from "#services/conversion/domain/sandbox.ts";
import { createBubblewrapLauncher } from "#services/conversion/sandbox/bubblewrap.ts";
import { copyHostFiles } from "#services/conversion/sandbox/host-files.ts";
import { type Launch, startTree } from "#services/conversion/sandbox/process-tree.ts";
import { seccompProgramOf } from "#services/conversion/sandbox/seccomp.ts";
import { isRoot } from "./host.ts";

const limits: SandboxLimits = {
  ...{ wallMs: 60_000, cpuSeconds: 30, memoryBytes: 2 ** 29, addressSpace: true, processes: 32, openFiles: 64 },
  ...{ fileBytes: 2 ** 20, folderBytes: 2 ** 20, tmpBytes: 2 ** 20, niceness: 0 },
};
const abstractName = `filemill-${process.pid}-${Date.now()}`;
const hits: string[] = [];
const tcp = createServer((socket) => socket.destroy()).on("connection", () => hits.push("tcp"));
const abstract = createServer((socket) => socket.destroy()).on("connection", () => hits.push("abstract"));
let folder: string;
let launch: Launch;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-layers-"));
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => abstract.listen({ path: `\0${abstractName}` }, resolve));
  const { port } = tcp.address() as AddressInfo;
  const script = `use Socket; for ([2, Socket::pack_sockaddr_in(${port}, inet_aton("127.0.0.1"))], [1, Socket::pack_sockaddr_un("\\0${abstractName}")]) {
    my $s; socket($s, $_->[0], 1, 0) && connect($s, $_->[1]) && print "reached" }`;
  const identity = isRoot ? ({ kind: "slot", uid: 62_350 } as const) : ({ kind: "namespace" } as const);
  const command = { program: "/usr/bin/perl", args: ["-e", script], env: {}, folder: undefined, readOnly: {} };
  const launchOf = createBubblewrapLauncher(seccompProgramOf(process.arch, "local"), copyHostFiles(folder), "a mark");
  launch = launchOf({ identity, limits, ...command });
});
afterAll(async () => {
  tcp.close();
  abstract.close();
  await rm(folder, { recursive: true });
});

const withoutFilter = (whole: Launch): Launch => ({ ...whole, args: whole.args.filter((arg) => arg !== "--seccomp" && arg !== "4") });
const withoutNamespace = (whole: Launch): Launch => {
  const args = whole.settings.split("\0").filter((arg) => arg !== "--unshare-net");
  const place = args.indexOf("--unshare-all");
  if (place >= 0) args.splice(place + 1, 0, "--share-net");
  return { ...whole, settings: args.join("\0") };
};

it.each([
  ["both layers", [], (whole: Launch) => whole],
  ["the empty network namespace alone", [], withoutFilter],
  // Engines may use local sockets, and abstract ones have no file to hide: only the namespace blocks them.
  ["the seccomp filter alone", ["abstract"], withoutNamespace],
  ["no layer", ["abstract", "tcp"], (whole: Launch) => withoutFilter(withoutNamespace(whole))],
])("with %s a program reaches %j", async (_, reached, change) => {
  hits.length = 0;
  const end = await startTree(change(launch), { limits, folder: undefined, signal: undefined, conversation: false }).ended;
  expect(end).toMatchObject({ exitCode: 0, killed: undefined, stdout: "reached".repeat(reached.length) });
  await expect.poll(() => hits.toSorted()).toEqual(reached);
});
