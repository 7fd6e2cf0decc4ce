/** Inspectors in a real sandbox, for tests. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import type { Sandbox, SandboxChild } from "#services/conversion/domain/sandbox.ts";
import { type InspectorHost, openInspectors } from "#services/conversion/inspectors/open-inspectors.ts";
import { openHost } from "#test/services/conversion/sandbox/host.ts";

export type TestInspectors = AsyncDisposable & {
  readonly inspector: Inspector;
  readonly folder: string;
  /** Every inspector started so far, in order. */
  readonly started: readonly SandboxChild[];
  /** Why inspectors were replaced. */
  readonly faults: readonly string[];
};

/** `start` creates an inspector from the command of a real one. */
export async function openTestInspectors(
  options: Partial<InspectorHost> & {
    readonly mode?: Sandbox["mode"];
    start?(sandbox: Sandbox, command: Command): Promise<SandboxChild>;
  } = {},
): Promise<TestInspectors> {
  await using stack = new AsyncDisposableStack();
  const { mode = "full", start, ...rest } = options;
  const { sandbox } = stack.use(await openHost(mode));
  const folder = await mkdtemp(join(tmpdir(), "filemill-inspectors-"));
  // The weaker sandbox runs as another user, who must be able to reach the program.
  await chmod(folder, 0o755);
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const started: SandboxChild[] = [];
  const faults: string[] = [];
  const spawn = async (command: Command): Promise<SandboxChild> => {
    const child = await (start === undefined ? sandbox.spawn(command) : start(sandbox, command));
    started.push(child);
    return child;
  };
  const host = { sandbox: { spawn }, folder, log: () => undefined, onReplaced: (fault: string) => void faults.push(fault), ...rest };
  const inspector = stack.use(await openInspectors(host));
  const owned = stack.move();
  return { inspector, folder, started, faults, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

type Command = Parameters<Sandbox["spawn"]>[0];

/** For code that must not need an inspector. */
export const noInspector: Inspector = {
  ask: () => Promise.reject(new Error("Nobody was to be asked.")),
};
