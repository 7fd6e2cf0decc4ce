/** A result carries one note per code, but several files or streams may each add one. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { type NoteCode, noteTable } from "#services/conversion/domain/notes.ts";

/** The same task with its notes merged by code; `tell` passes them on. */
export function gatheringNotes(task: HopTask): { readonly task: HopTask; tell(): void; has(code: NoteCode): boolean } {
  const gathered = new Map<NoteCode, Set<string>>();
  return {
    task: {
      ...task,
      note(code, message) {
        gathered.set(code, (gathered.get(code) ?? new Set()).add(message ?? noteTable[code]));
      },
    },
    has: (code) => gathered.has(code),
    tell() {
      for (const [code, messages] of gathered) task.note(code, [...messages].join(" "));
    },
  };
}
