/** The prover as a service starts it in the background, on a system with versions that have no proof. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseProofFile } from "#services/catalogue/domain/proof.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "filemill-background-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

function startProver(...args: readonly string[]) {
  const all = [join(import.meta.dirname, "main.ts"), "--background", "--all", ...args];
  return spawn(process.execPath, all, { env: { ...process.env, DATA_DIR: dataDir }, stdio: ["pipe", "ignore", "inherit"] });
}

it("writes its proofs under DATA_DIR and removes its progress file", async () => {
  const [exitCode] = await once(startProver("--route", "png:webp"), "exit");
  const { rows } = parseProofFile(await readFile(join(dataDir, "proof.tsv"), "utf8"));
  expect(rows.filter(({ word }) => word !== "failed").map(({ from, to, path }) => `${from} ${to} ${path}`)).toContain("png webp sharp");
  expect([exitCode, existsSync(join(dataDir, "proving.json"))]).toEqual([0, false]);
});

it("exits with the service", async () => {
  const prover = startProver();
  prover.stdin.end();
  expect(await once(prover, "exit")).toEqual([130, null]);
});
