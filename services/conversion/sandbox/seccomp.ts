/** The compiled seccomp programs, built by seccomp/filter.c and checked before use. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { FilemillError } from "#contract/errors.ts";

const digests: Readonly<Record<string, string>> = {
  x64: "18c66b7dec3a7017f2659737847d7afc3a16d9bbeba2f82397a9755561c375f9",
  arm64: "94cc1a5f27f135dc5a2987cbcdf0d3b347c23638fc2562bfb7b6fd590afd4ebb",
  "x64-mute-sockets": "987ee2e276bc0235ee1dcecafeeb5308c58600ac5dd08bb3c9e3c0e7408e4ff9",
  "arm64-mute-sockets": "2004a3cb51036751e8b16a1ba0bb8219c7420ec2191cc0d35664d0deb0f71295",
};

/**
 * Path of this architecture's program.
 *
 * @throws FilemillError UNAVAILABLE if there is none, or if its bytes are not those that were reviewed.
 */
export function seccompProgramOf(architecture: string, sockets: "local" | "mute"): string {
  const name = sockets === "local" ? architecture : `${architecture}-mute-sockets`;
  const digest = digests[name];
  if (digest === undefined) throw new FilemillError("UNAVAILABLE", `There is no seccomp program for the architecture ${architecture}.`);
  const path = fileURLToPath(new URL(`./seccomp/${name}.bpf`, import.meta.url));
  if (createHash("sha256").update(readFileSync(path)).digest("hex") !== digest) {
    throw new FilemillError("UNAVAILABLE", `The seccomp program ${name}.bpf is not the one that belongs to this release.`);
  }
  return path;
}
