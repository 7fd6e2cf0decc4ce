import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ExpectedNoteSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { expectedNotesOf } from "#services/catalogue/domain/expected-notes.ts";

const noting = (code: string, facts: { of?: string; isOfSource?: boolean; message?: string } = {}) =>
  create(ExpectedNoteSchema, { note: { code, message: facts.message ?? code }, of: facts.of ?? "", isOfSource: facts.isOfSource ?? false });
const codesOf = (...hops: Parameters<typeof expectedNotesOf>[0]) => expectedNotesOf(hops).map(({ code }) => code);

describe("expectedNotesOf", () => {
  const flattens = { from: "png", expectedNotes: [noting("ALPHA_FLATTENED", { of: "alpha" })] };

  it("is the union over the hops in the order of the way, each code once, in the words of the first", () => {
    const first = { from: "gif", expectedNotes: [noting("B"), noting("A", { message: "first" })] };
    const second = { from: "png", expectedNotes: [noting("A", { message: "second" }), noting("C")] };
    expect(expectedNotesOf([first, second]).map(({ code, message }) => [code, message])).toEqual([
      ["B", "B"],
      ["A", "first"],
      ["C", "C"],
    ]);
  });

  it("expects nothing of what some format on the way cannot have", () => {
    expect(codesOf(flattens)).toEqual(["ALPHA_FLATTENED"]);
    expect(codesOf({ from: "svg", expectedNotes: [] }, flattens)).toEqual(["ALPHA_FLATTENED"]);
    expect(codesOf({ from: "jpg", expectedNotes: [] }, flattens)).toEqual([]);
    expect(codesOf({ from: "svg", expectedNotes: [] }, { from: "jpg", expectedNotes: [] }, flattens)).toEqual([]);
  });

  it("expects what is in doubt in the client's file alone of the first hop", () => {
    const guesses = (from: string) => ({ from, expectedNotes: [noting("ENCODING_GUESSED", { isOfSource: true })] });
    expect(codesOf(guesses("txt"))).toEqual(["ENCODING_GUESSED"]);
    expect(codesOf({ from: "docx", expectedNotes: [] }, guesses("html"))).toEqual([]);
  });

  it("keeps what a newer node says of a trait that is unknown here", () => {
    expect(codesOf({ from: "jpg", expectedNotes: [noting("A", { of: "smell" })] })).toEqual(["A"]);
  });
});
