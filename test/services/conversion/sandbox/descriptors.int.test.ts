import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { describeSandboxes } from "./host.ts";

const listingParent = fileURLToPath(new URL("./listing-parent.ts", import.meta.url));

describeSandboxes("the %s sandbox", (mode) => {
  it("inherits no open files, folders or sockets from the process that starts the service", async () => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "filemill-descriptors-"));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, "secret"), "secret");
    const open = [openSync(join(folder, "secret"), "r"), openSync(join(folder, "secret"), "r+"), openSync(folder, "r")];
    stack.defer(() => open.forEach(closeSync));
    const server = createServer().listen(join(folder, "socket"));
    stack.defer(() => void server.close());
    const socket = connect(join(folder, "socket"));
    stack.defer(() => void socket.destroy());
    await once(socket, "connect");
    // Node itself hides descriptors from its children if they follow without a gap.
    const gap = Array.from({ length: 20 }, () => "ignore" as const);
    const stdio: StdioOptions = ["ignore", "pipe", "inherit", ...gap, ...open, socket];
    const parent: ChildProcess = spawn(process.execPath, [listingParent, mode], { stdio });
    const seen: unknown = JSON.parse(parent.stdout === null ? "" : await text(parent.stdout));
    const streams = { 0: expect.stringMatching(/^(pipe|socket):|^\/dev\/null$/), 1: expect.any(String), 2: expect.any(String) };
    expect(seen).toEqual({ run: streams, conversation: streams });
  });
});
