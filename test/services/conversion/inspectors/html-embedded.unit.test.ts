import { expect, it } from "vitest";
import { withoutEmbedded } from "#services/conversion/inspectors/inside/html-embedded.ts";

const letters = "A".repeat(3000);

it("takes large pictures out of a page, wrapped or not, and equal ones to one place", () => {
  const image = (data: string) => `<IMG alt="x"\nSRC="data:image/png;base64,${data}">`;
  expect(withoutEmbedded(image(letters) + image(letters))).toBe(image("filemill-40-3000").repeat(2));
  expect(withoutEmbedded(image(`${letters}\r\n${letters}`))).toBe(image("filemill-40-6002"));
});

it.each([
  ["a small one", 'src="data:image/png;base64,AAAA"'],
  ["one that ends the attribute elsewhere", `src='data:image/png;base64,${letters}" onerror="alert(1)'`],
  ["one that ends an address of Markdown", `src="data:image/png;base64,${letters}) [x](javascript:alert(1)"`],
  ["one for other readers of base64", `src="data:image/png;base64,${letters}-_"`],
  ["one in capitals, which the filter does not know", `src="data:image/png;BASE64,${letters}"`],
])("leaves %s where it is", (_name, source) => {
  expect(withoutEmbedded(`<img ${source}>`)).toBe(`<img ${source}>`);
});

it("takes time in proportion to pictures without an end", () => {
  const page = `${`<img src="data:image/png;base64,${letters}`.repeat(5000)}</p>`;
  const start = performance.now();
  expect(withoutEmbedded(page) === page).toBe(true);
  expect(performance.now() - start).toBeLessThan(2000);
});
