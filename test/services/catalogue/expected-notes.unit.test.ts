import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ExpectedNoteSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { expectedNotesOf } from "#services/catalogue/domain/expected-notes.ts";

const noting = (code: string, facts: { of?: string; isOfSource?: boolean; message?: string } = {}) =>
  create(ExpectedNoteSchema, { note: { code, message: facts.message ?? code }, of: facts.of ?? "", isOfSource: facts.isOfSource ?? false });
const codesOf = (...hops: Parameters<typeof expectedNotesOf>[0]) => expectedNotesOf(hops).map(({ code }) => code);

describe("expectedNotesOf", () => {
  const flattens = { from: "png", expectedNotes: [noting("ALPHA_FLATTENED", { of: "alpha" })] };

  it("merges the notes of all hops in order, each code once with its first message", () => {
    const first = { from: "gif", expectedNotes: [noting("B"), noting("A", { message: "first" })] };
    const second = { from: "png", expectedNotes: [noting("A", { message: "second" }), noting("C")] };
    expect(expectedNotesOf([first, second]).map(({ code, message }) => [code, message])).toEqual([
      ["B", "B"],
      ["A", "first"],
      ["C", "C"],
    ]);
  });

  it("leaves out notes about a trait that some format on the route cannot have", () => {
    expect(codesOf(flattens)).toEqual(["ALPHA_FLATTENED"]);
    expect(codesOf({ from: "svg", expectedNotes: [] }, flattens)).toEqual(["ALPHA_FLATTENED"]);
    expect(codesOf({ from: "jpg", expectedNotes: [] }, flattens)).toEqual([]);
    expect(codesOf({ from: "svg", expectedNotes: [] }, { from: "jpg", expectedNotes: [] }, flattens)).toEqual([]);
  });

  it("includes notes about the source file only from the first hop", () => {
    const guesses = (from: string) => ({ from, expectedNotes: [noting("ENCODING_GUESSED", { isOfSource: true })] });
    expect(codesOf(guesses("txt"))).toEqual(["ENCODING_GUESSED"]);
    expect(codesOf({ from: "docx", expectedNotes: [] }, guesses("html"))).toEqual([]);
  });

  it("keeps notes about a trait that only a newer node knows", () => {
    expect(codesOf({ from: "jpg", expectedNotes: [noting("A", { of: "smell" })] })).toEqual(["A"]);
  });
});
