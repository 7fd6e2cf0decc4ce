import { describe, expect, it } from "vitest";
import { digitsFor } from "#services/conversion/engines/inside/svg/digits.ts";

const drawn = (attributes: string, inner = '<path d="M0 0"/>') => `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inner}</svg>`;

describe("a drawing's decimal places", () => {
  it.each([
    ['width="500" height="500"', undefined, 3],
    ['viewBox="0 0 24 24"', undefined, 3],
    ['viewBox="0 0 1000 800" width="10"', undefined, 3],
    ['viewBox="0 0 1 1"', undefined, 5],
    ['viewBox="0 0 0.01 0.01"', undefined, 7],
    ['viewBox="0 0 1e-9 1"', undefined, 8],
    ['viewBox="0 0 100 100"', '<g transform="scale(50)"><g transform="translate(1 2) matrix(20 0 0 20 0 0)"><path d="M0 0"/></g></g>', 6],
    ['viewBox="0 0 24 24"', '<clipPath clipPathUnits="objectBoundingBox"><path d="M0 0"/></clipPath>', 5],
    ['viewBox="0 0 24 24"', '<svg viewBox="0 0 1 1" width="12" height="12"/>', 5],
  ])("are as many as its magnification needs: %s %s", (attributes, inner, digits) => {
    expect(digitsFor(drawn(attributes, inner))).toBe(digits);
  });
});
