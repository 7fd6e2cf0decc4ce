/** Zstandard behind frames that decoders skip (RFC 8878, 3.1.2). */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sniff } from "#formats/sniff/sniff.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sniff-"));
});
afterAll(() => rm(folder, { recursive: true }));

const skipped = "502a4d1804000000ffffffff5f2a4d1800000000";
it.each([
  ["a.zst", `${skipped}28b52ffd2401090000780b4d8f40`, "zst"],
  ["a.tar.zst", `${skipped}28b52ffd2401090000780b4d8f40`, "tzst"],
])("%s", async (name, hex, format) => {
  const path = join(folder, name);
  await writeFile(path, Buffer.from(hex, "hex"));
  expect(await sniff(path, name)).toMatchObject({ format, nameDisagrees: false });
});
