import { expect, test } from "vitest";
import { joinedNote, noteTable } from "#services/conversion/domain/notes.ts";

test("a note of several steps says what each has lost, once and within bounds", () => {
  const join = (...messages: readonly string[]) =>
    messages.reduce<string | undefined>((before, message) => joinedNote(before, message, "TEXT_LEFT_OUT"), undefined);
  expect(join("A was left out.", "B was left out.", "A was left out.")).toBe("A was left out. B was left out.");
  expect(join("A was left out.", noteTable.TEXT_LEFT_OUT)).toBe("A was left out.");
  expect(join(noteTable.TEXT_LEFT_OUT, "A was left out.")).toBe("A was left out.");
  expect(join("A".repeat(900), "B".repeat(900))).toHaveLength(900);
});
