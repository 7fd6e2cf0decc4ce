import { expect } from "vitest";
import type { Engine, OptionValues } from "#services/conversion/domain/engine.ts";
import { isExpected } from "#services/conversion/domain/expectations.ts";
import { type NoteCode, noteTable } from "#services/conversion/domain/notes.ts";
import type { Notes, Work } from "#services/conversion/engines/inside/exchange.ts";
import { defaultsOf, hopOf } from "#test/contract/engine.ts";

const isCode = (code: string): code is NoteCode => Object.hasOwn(noteTable, code);

const asksNobody = () => Promise.reject(new Error("Nothing was to be asked for."));

/** Converts like the worker in the sandbox; every note must have been announced with the route. */
export function converterOf(engine: Engine, work: Work) {
  return async (content: string | Uint8Array, from: string, to: string, options: OptionValues = {}) => {
    const hop = hopOf(engine, from, to);
    const notes: Notes = new Map();
    const question = { work: engine.id, from, to, options: { ...defaultsOf(hop), ...options } };
    const bytes = Buffer.from(await work(Buffer.from(content), question, notes, asksNobody));
    expect([...notes.keys()].filter((code) => !isCode(code) || !isExpected(hop, code, options))).toEqual([]);
    return { bytes, text: bytes.toString("utf8"), notes, codes: [...notes.keys()].toSorted() };
  };
}
