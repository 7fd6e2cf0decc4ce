/** Hosts on which bubblewrap cannot create namespaces. */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneIsOpen } from "#test/harness/clone.ts";
import { startServer } from "#test/harness/server.ts";

const refusal = "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)";
const isRoot = process.getuid?.() === 0;

async function failureOf(start: Promise<AsyncDisposable>): Promise<string> {
  try {
    await using _server = await start;
    return "";
  } catch (error) {
    return String(error);
  }
}

// Only root can replace /usr/bin/bwrap for one process.
describe.skipIf(!isRoot)("if bubblewrap cannot create namespaces", () => {
  let folder: string;
  let prepare: string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "filemill-bwrap-"));
    const fake = join(folder, "bwrap");
    await writeFile(fake, `#!/bin/sh\necho '${refusal}' >&2\nexit 1\n`);
    await chmod(fake, 0o755);
    prepare = [`mount --bind '${fake}' /usr/bin/bwrap`];
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("the service does not start, and says why and what to set", async () => {
    const failure = await failureOf(startServer({}, undefined, prepare));
    expect(failure).toContain("Filemill ended before it was ready");
    expect(failure).toContain("The kernel does not let bubblewrap make namespaces here");
    expect(failure).toContain("max_*_namespaces exceeded");
    expect(failure).toContain("or set SANDBOX=degraded");
  });

  it("degraded mode refuses a folder that engines could not reach", async () => {
    expect(await failureOf(startServer({ SANDBOX: "degraded" }, undefined, prepare))).toMatch(/user 61800, who may not pass through \S+:/);
  });

  // The weaker sandbox cannot hide the clone's location: its user must be able to enter it.
  it.runIf(cloneIsOpen)("degraded mode offers what the weaker sandbox supports, and reports itself everywhere", async () => {
    await using server = await startServer({ SANDBOX: "degraded" }, undefined, [...prepare, 'chmod 711 "$HOME_DIR"']);
    const read = async (path: string) => await (await fetch(server.url + path)).text();
    expect(JSON.parse(await read("/readyz"))).toEqual({ ready: true, sandbox: "degraded" });
    expect(await read("/metrics")).toContain('filemill_sandbox_mode{mode="degraded"} 1');
    const warning = () =>
      server
        .log()
        .split("\n")
        .find((line) => /sandbox\.degraded.*\}$/.test(line)) ?? "{}";
    await expect.poll(() => JSON.parse(warning())).toMatchObject({ level: "warn", reason: expect.stringContaining("bubblewrap") });

    const { conversions } = JSON.parse(await read("/api/v1/formats"));
    const has = (from: string, to: string) =>
      conversions.some((each: { from: string; to: string }) => each.from === from && each.to === to);
    // Chromium needs sockets, which the weaker sandbox denies; LibreOffice prints web pages instead.
    expect({ png: has("png", "webp"), docx: has("docx", "pdf"), html: has("html", "pdf") }).toEqual({ png: true, docx: true, html: true });

    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: "teal" } })
      .png()
      .toBuffer();
    const convert = async (to: string, name: string, bytes: Uint8Array) => {
      const form = new FormData();
      form.append("to", to);
      form.append("file", new File([new Uint8Array(bytes)], name));
      const headers = { authorization: `Bearer ${server.key}` };
      const answer = await fetch(`${server.url}/api/v1/convert?download=wait`, { method: "POST", headers, body: form });
      expect(answer.status).toBe(200);
      return Buffer.from(await answer.arrayBuffer());
    };
    expect(await sharp(await convert("webp", "a.png", picture)).metadata()).toMatchObject({ format: "webp", width: 8 });
    const document = await readFile("test/corpus/typical/document/typical.docx");
    expect((await convert("pdf", "a.docx", document)).subarray(0, 5).toString()).toBe("%PDF-");
  });
});
