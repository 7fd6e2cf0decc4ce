/** Tells a bad file from a failure of ours, by what each engine declares. */
import { FilemillError } from "#contract/errors.ts";
import type { BadInputSign } from "#services/conversion/domain/engine.ts";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import { needsMemory, saysOutOfMemory } from "#services/conversion/domain/process-end.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";

/**
 * @throws FilemillError INVALID_INPUT with this message where the tool says that its input is bad, INPUT_TOO_COMPLEX where it could not
 * have more memory, and an EngineFault for any other exit code than 0.
 */
export function throwIfFailed(end: SandboxEnd, badInput: readonly BadInputSign[], message: string): void {
  if (end.exitCode !== 0) throw failureOf(end, badInput, message);
}

/** The same for a tool whose exit code tells nothing: it has failed. */
export function failureOf(end: SandboxEnd, badInput: readonly BadInputSign[], message: string): FilemillError {
  if (saysBadInput(end, badInput)) return new FilemillError("INVALID_INPUT", message);
  return saysOutOfMemory(end) ? needsMemory() : new EngineFault("unexplained", `exit code ${end.exitCode}`);
}

export function saysBadInput({ exitCode, stdout, stderr }: SandboxEnd, badInput: readonly BadInputSign[]): boolean {
  return badInput.some((sign) => (typeof sign === "number" ? exitCode === sign : sign.test(stderr) || sign.test(stdout)));
}
