/** Tells bad input from our own failures by the signs that each engine declares. */
import { FilemillError } from "#contract/errors.ts";
import type { BadInputSign } from "#services/conversion/domain/engine.ts";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import { needsMemory, saysOutOfMemory } from "#services/conversion/domain/process-end.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";

/**
 * @throws FilemillError INVALID_INPUT with this message if the tool reports bad input,
 * INPUT_TOO_COMPLEX if it ran out of memory, and an EngineFault for any other non-zero exit code.
 */
export function throwIfFailed(end: SandboxEnd, badInput: readonly BadInputSign[], message: string): void {
  if (end.exitCode !== 0) throw failureOf(end, badInput, message);
}

/** The same for a tool that is known to have failed although its exit code does not show it. */
export function failureOf(end: SandboxEnd, badInput: readonly BadInputSign[], message: string): FilemillError {
  if (saysBadInput(end, badInput)) return new FilemillError("INVALID_INPUT", message);
  return saysOutOfMemory(end) ? needsMemory() : new EngineFault("unexplained", `exit code ${end.exitCode}`);
}

export function saysBadInput({ exitCode, stdout, stderr }: SandboxEnd, badInput: readonly BadInputSign[]): boolean {
  return badInput.some((sign) => (typeof sign === "number" ? exitCode === sign : sign.test(stderr) || sign.test(stdout)));
}
