import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureSecret, readSecret } from "#kit/secret-file.ts";

let folder: string;
let path: string;
const mask = process.umask();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-secret-"));
  path = join(folder, "secret");
});
afterEach(async () => {
  process.umask(mask);
  await rm(folder, { recursive: true });
});

test("creates one 256-bit secret, owner-only whatever the umask", async () => {
  process.umask(0);
  const secret = await ensureSecret(path);
  expect(Buffer.from(secret, "base64url")).toHaveLength(32);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await ensureSecret(path)).toBe(secret);
  expect(await readSecret(path)).toBe(secret);
  expect(await readdir(folder)).toEqual(["secret"]);
});

test("creates the same secret for concurrent callers", async () => {
  const secrets = await Promise.all(Array.from({ length: 20 }, () => ensureSecret(path)));
  expect(new Set(secrets).size).toBe(1);
  expect((await readFile(path, "utf8")).trim()).toBe(secrets[0]);
  expect(await readdir(folder)).toEqual(["secret"]);
});

test("returns undefined before the secret is created", async () => {
  expect(await readSecret(path)).toBeUndefined();
});

test.each([0o644, 0o640, 0o604, 0o660, 0o601])("rejects a file with mode %o", async (mode) => {
  await ensureSecret(path);
  await chmod(path, mode);
  await expect(ensureSecret(path)).rejects.toThrow("can be read by other users");
});

test("rejects an empty file, a symlink and a folder", async () => {
  await writeFile(path, "", { mode: 0o600 });
  await expect(ensureSecret(path)).rejects.toThrow("holds no secret");
  const link = join(folder, "link");
  await symlink("/etc/hostname", link);
  await expect(ensureSecret(link)).rejects.toThrow("ELOOP");
  await expect(ensureSecret(folder)).rejects.toThrow();
});
