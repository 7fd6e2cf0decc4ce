import type { Sandbox, SandboxEnd } from "../domain/sandbox.ts";

export type SandboxWatch = {
  /** A process that stays for many jobs was started. */
  onStarted?(engine: string): void;
  /** A tree was killed for what it did: `timeout`, `memory` and so on. Not called for a cancelled job. */
  onKilled?(engine: string, cause: NonNullable<SandboxEnd["killed"]>): void;
};

/** The sandbox as one engine sees it. Reports its starts and kills. */
export function watchedSandbox(sandbox: Sandbox, engine: string, watch: SandboxWatch): Sandbox {
  const note = ({ killed }: SandboxEnd): void => {
    if (killed !== undefined && killed !== "aborted") watch.onKilled?.(engine, killed);
  };
  return {
    ...sandbox,
    async run(command) {
      const end = await sandbox.run(command);
      note(end);
      return end;
    },
    async spawn(command) {
      const child = await sandbox.spawn(command);
      watch.onStarted?.(engine);
      child.ended.then(note, () => undefined);
      return child;
    },
  };
}
