import { expect, it } from "vitest";
import { type Annotation, writtenIn } from "#services/conversion/engines/inside/pdf/annotations.ts";

const field: Annotation = { id: "1R", subtype: "Widget", rect: [20, 20, 120, 40], fieldValue: "open sesame" };
const upright = [1, 0, 0, -1, 0, 100] as const;

it("shows asterisks for a password, as the page does", () => {
  expect(writtenIn([{ ...field, password: true }, field], upright, []).map(({ text }) => text)).toEqual(["***********", "open sesame"]);
});
