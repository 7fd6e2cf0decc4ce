/** The compiled seccomp programs, built by seccomp/filter.c and checked before use. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { FilemillError } from "#contract/errors.ts";

const digests: Readonly<Record<string, string>> = {
  x64: "18c66b7dec3a7017f2659737847d7afc3a16d9bbeba2f82397a9755561c375f9",
  arm64: "94cc1a5f27f135dc5a2987cbcdf0d3b347c23638fc2562bfb7b6fd590afd4ebb",
  "x64-no-sockets": "0a004f2089c4cc99d635c8175a57f8b4237dfe5fc4885c5edf78ff516f5dec93",
  "arm64-no-sockets": "6c5dbeb582cdc22316d6a1ea4be724b71cead7ba2fb40c198413716ec2e161de",
};

/**
 * Path of this architecture's program.
 *
 * @throws FilemillError UNAVAILABLE where there is none, or where its bytes are not the ones that were reviewed.
 */
export function seccompProgramOf(architecture: string, sockets: "unix" | "none"): string {
  const name = sockets === "unix" ? architecture : `${architecture}-no-sockets`;
  const digest = digests[name];
  if (digest === undefined) throw new FilemillError("UNAVAILABLE", `There is no seccomp program for the architecture ${architecture}.`);
  const path = fileURLToPath(new URL(`./seccomp/${name}.bpf`, import.meta.url));
  if (createHash("sha256").update(readFileSync(path)).digest("hex") !== digest) {
    throw new FilemillError("UNAVAILABLE", `The seccomp program ${name}.bpf is not the one that belongs to this release.`);
  }
  return path;
}
