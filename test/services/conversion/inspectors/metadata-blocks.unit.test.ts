import { expect, it } from "vitest";
import { iptcIn } from "#services/conversion/inspectors/inside/metadata-blocks.ts";

const dataSet = (record: number, number: number, length: readonly number[], content: Buffer) =>
  Buffer.concat([Buffer.from([0x1c, record, number, ...length]), content]);
const caption = dataSet(2, 120, [0, 3], Buffer.from("abc"));

it.each([
  ["after a short data set", Buffer.concat([dataSet(1, 90, [0, 2], Buffer.alloc(2)), caption]), ["iptc"]],
  ["after an extended data set", Buffer.concat([dataSet(1, 90, [0x80, 4, 0, 0, 0, 2], Buffer.alloc(2)), caption]), ["iptc"]],
  ["not in a version alone", dataSet(2, 0, [0, 2], Buffer.alloc(2)), []],
  ["not behind an unreadable length", Buffer.concat([dataSet(1, 90, [0xff, 0xff], Buffer.alloc(2)), caption]), []],
])("IPTC is found %s", (_when, bytes, expected) => {
  const found = new Set<never>();
  iptcIn(bytes, found);
  expect([...found]).toEqual(expected);
});
