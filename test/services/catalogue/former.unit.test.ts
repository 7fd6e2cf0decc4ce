import { expect, it } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { catalogueOf } from "#services/catalogue/domain/catalogue.ts";
import { createFormerCatalogues } from "#services/catalogue/domain/former.ts";
import { manifestOf } from "./manifests.ts";

const office = manifestOf("n1", { libreoffice: { hops: { "docx>pdf": {}, "odt>pdf": {} } } });
const picture = manifestOf("n2", { sharp: { hops: { "png>webp": {}, "png>jpg": {} } } });
const otherPicture = manifestOf("n3", { sharp: { hops: { "png>gif": {} } } });
const query = { from: "docx", to: "pdf", options: {} };

function codeOf(ask: () => unknown): string {
  try {
    ask();
    return "answered";
  } catch (error) {
    return error instanceof FilemillError ? error.code : String(error);
  }
}

it("reports a recently possible route as UNAVAILABLE, and others as unsupported", () => {
  let nowMs = 0;
  const withFormer = createFormerCatalogues(() => nowMs);
  const first = withFormer(catalogueOf([office, picture]));
  expect(codeOf(() => first.plan(query))).toBe("answered");
  withFormer(catalogueOf([picture]));
  const restarting = withFormer(catalogueOf([picture, otherPicture]));
  expect(codeOf(() => restarting.plan(query))).toBe("UNAVAILABLE");
  expect(codeOf(() => restarting.route(query))).toBe("UNAVAILABLE");
  expect(codeOf(() => restarting.plan({ ...query, to: "mp3" }))).toBe("UNSUPPORTED_TARGET");
  expect(codeOf(() => restarting.plan({ from: "png", to: "gif", options: {} }))).toBe("answered");
  nowMs = 60_001;
  expect(codeOf(() => restarting.plan(query))).toBe("UNSUPPORTED_TARGET");
});

it("reports missing routes as unsupported once the engine is back", () => {
  const withFormer = createFormerCatalogues(() => 0);
  withFormer(catalogueOf([office, picture]));
  withFormer(catalogueOf([picture]));
  const back = withFormer(catalogueOf([office, picture]));
  expect(codeOf(() => back.plan(query))).toBe("answered");
  expect(codeOf(() => back.plan({ ...query, to: "mp3" }))).toBe("UNSUPPORTED_TARGET");
});
