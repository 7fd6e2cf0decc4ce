import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { OptionSchema } from "#gen/filemill/common/v1/format_pb.ts";
import { createOptionPool } from "#services/catalogue/domain/option-pool.ts";

const option = (name: string, description = "") => create(OptionSchema, { name, description });

test("equal option lists are shared, whichever engine announced them", () => {
  const pool = createOptionPool();
  const first = pool.shared([option("quality"), option("width")]);
  expect(pool.shared([option("quality"), option("width")])).toBe(first);
  expect(pool.shared(first)).toBe(first);
});

test("different lists stay separate but share equal options", () => {
  const pool = createOptionPool();
  const first = pool.shared([option("quality"), option("width")]);
  const other = pool.shared([option("width"), option("quality", "Of another engine.")]);
  expect(other.map(({ name }) => name)).toEqual(["width", "quality"]);
  expect(other[0]).toBe(first[1]);
  expect(other[1]).not.toBe(first[0]);
});
