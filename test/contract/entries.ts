/** For joining engines: converts an archive's files by their best routes, as the service does, with a library that is opened on demand. */
import { join } from "node:path";
import { openLibrary } from "#gateway/library.ts";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { NoteCode } from "#services/conversion/domain/notes.ts";

export type Entries = AsyncDisposable & { readonly convert: NonNullable<HopTask["convertEntry"]> };

export function entriesIn(folder: string): Entries {
  let library: ReturnType<typeof openLibrary> | undefined;
  let count = 0;
  return {
    async convert(entry, to, note) {
      if (entry.format === to) return entry;
      library ??= openLibrary(parseSettings(settingTable, { DATA_DIR: join(folder, "entries"), SANDBOX_UID: "62400" }), openLog("silent"));
      count += 1;
      const outputPath = join(folder, `entry-${count}.${to}`);
      const task = { inputPath: entry.path, outputPath, from: entry.format, to, options: {}, signal: new AbortController().signal };
      const { notes } = await (await library).convert(task);
      for (const { code, message } of notes) note(code as NoteCode, message);
      return { path: outputPath, format: to, sizeBytes: 0 };
    },
    async [Symbol.asyncDispose]() {
      await (await library)?.[Symbol.asyncDispose]();
    },
  };
}
