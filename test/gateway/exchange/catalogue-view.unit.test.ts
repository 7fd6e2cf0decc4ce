import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import type { GatewayDeps } from "#gateway/context.ts";
import { createCatalogueViews } from "#gateway/exchange/catalogue-view.ts";
import { GetCatalogueResponseSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";

/** A catalogue that returns these answers in order. */
function catalogueOf(answers: MessageInitShape<typeof GetCatalogueResponseSchema>[]): GatewayDeps["catalogue"] {
  const left = [...answers];
  const getCatalogue = async () => create(GetCatalogueResponseSchema, left.shift());
  return { getCatalogue } as Partial<GatewayDeps["catalogue"]> as GatewayDeps["catalogue"];
}

const empty = { revision: "0" };
const full = (revision: string) => ({ revision, formats: [{ id: "png" }, { id: "webp" }], routes: [{ from: "png", to: "webp" }] });

test("rereads an empty catalogue on the next request, so that engines show up at once", async () => {
  const views = createCatalogueViews(catalogueOf([empty, full("1")]));
  expect((await views.current()).counts.conversions).toBe(0);
  expect((await views.current()).counts.conversions).toBe(1);
});

test("caches a catalogue with conversions for a second", async () => {
  const views = createCatalogueViews(catalogueOf([full("1"), empty]));
  expect((await views.current()).revision).toBe("1");
  expect((await views.current()).revision).toBe("1");
});
