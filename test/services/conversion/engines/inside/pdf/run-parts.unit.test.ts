import { expect, it } from "vitest";
import { partedAt } from "#services/conversion/engines/inside/pdf/run-parts.ts";
import { runAt } from "./letters.ts";

it.each([
  ["How healthy", [35], ["How ", "healthy"]],
  ["Gender", [15], ["Gender"]],
  ["in 2017", [22], ["in ", "2017"]],
  ["1,270-10.79", [32], ["1,270", "-10.79"]],
  ["Surat395005", [18], ["Surat", "395005"]],
  ["की हिन्दी", [18], ["की ", "हिन्दी"]],
  ["東京都大阪府", [15], ["東京都", "大阪府"]],
])("splits %s under a line at %j, but no word or number", (text, places, parts) => {
  expect(partedAt(runAt(text, 0, 10), places).map((part) => part.text)).toEqual(parts);
});
