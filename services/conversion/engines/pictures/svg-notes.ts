/** Notes what librsvg silently draws otherwise: in its own tool and in libvips. */
import type { EngineHost, HopTask } from "#services/conversion/domain/engine.ts";
import { replacedFontsMessage } from "#services/conversion/domain/font-note.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";

/** Names of the installed font families; empty if fontconfig cannot be queried. */
async function familiesHere(sandbox: Sandbox): Promise<readonly string[]> {
  const end = await sandbox.run({ program: "/usr/bin/fc-list", args: [":", "family"], limits: { wallMs: 30_000 } }).catch(() => undefined);
  return end?.exitCode === 0 ? end.stdout.split(/[\n,]/) : [];
}

/** `kinds`: of embedded pictures that this build of librsvg does not read. */
export function undrawnNotes({ sandbox, inspector }: EngineHost, kinds: readonly string[]): (task: HopTask) => Promise<void> {
  let asked: Promise<readonly string[]> | undefined;
  return async (task) => {
    asked ??= familiesHere(sandbox);
    const here = await asked;
    const told = await inspector.ask("missingFonts", [task.input.path], { more: { here, kinds }, signal: task.signal });
    if (told.needsOthers) task.note("EXTERNAL_CONTENT_BLOCKED");
    for (const code of ["TEXT_LEFT_OUT", "IMAGES_REMOVED", "STYLING_DROPPED"] as const) {
      if (told.undrawn[code] !== "") task.note(code, told.undrawn[code]);
    }
    const fonts = here.length === 0 ? undefined : replacedFontsMessage(told.families);
    if (fonts !== undefined) task.note("FONT_SUBSTITUTED", fonts);
  };
}
