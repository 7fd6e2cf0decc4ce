import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, it } from "vitest";
import { durationsIn } from "#services/conversion/engines/inside/records/arrow-schema.ts";
import { parseParquet } from "#services/conversion/engines/inside/records/columns.ts";

/** Written by Apache Arrow's own library: id, wait (ns), Größe, pair.took (ms), list.item (s). */
const stored =
  "/////7gBAAAQAAAAAAAKABAADgAHAAgACgAAAAAAAAEQAAAAAAAEAAgACAAAAAQACAAAAAQAAAAFAAAASAEAAPwAAADIAAAAaAAAAAQAAADc/v//FAAAAAAAAAEYAAAAAAAADEgAAAAEAAAAbGlzdAAAAAABAAAABAAAAAj///8UAAAAAAAAARgAAAAAAAASFAAAAAQAAABpdGVtAAAAAAAAAAA+////AAAAAHj///88////FAAAAAAAAAEYAAAAAAAADUQAAAAEAAAAcGFpcgAAAAABAAAABAAAAGj///8UAAAAAAAAARgAAAAAAAASFAAAAAQAAAB0b29rAAAAAAAAAADQ////1P///5j///8UAAAAAAAAARgAAAAAAAAFGAAAAAcAAABHcsO2w59lAAAAAAAEAAQABAAAAMj///8UAAAAAAAAARgAAAAAAAASHAAAAAQAAAB3YWl0AAAAAAAAAAAAAAYACAAGAAYAAAAAAAMAEAAYAAQACwATABQAAAAMABAAAAAUAAAAAAAAARQAAAAAAAACGAAAAAIAAABpZAAAAAAAAAgADAAIAAcACAAAAAAAAAFAAAAAAAAAAA==";

it("finds durations with their units, also within structures and lists", () => {
  const expected = [
    ["wait", "ns"],
    ["pair.took", "ms"],
    ["list.item", "s"],
  ];
  expect(durationsIn(stored)).toEqual(expected);
  // Older versions do not begin with a mark.
  expect(durationsIn(Buffer.from(stored, "base64").subarray(4).toString("base64"))).toEqual(expected);
});

it("survives damaged schemas", () => {
  const bytes = Buffer.from(stored, "base64");
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at] = 0xff;
    expect(Array.isArray(durationsIn(damaged.toString("base64")))).toBe(true);
    expect(Array.isArray(durationsIn(bytes.subarray(0, at).toString("base64")))).toBe(true);
  }
});

it("names durations of Parquet that only Arrow's schema tells", async () => {
  const columnData = [{ name: "wait", data: [1500n], type: "INT64" as const }];
  const notes = new Map<string, string>();
  await parseParquet(new Uint8Array(parquetWriteBuffer({ columnData, kvMetadata: [{ key: "ARROW:schema", value: stored }] })), notes);
  expect(notes.get("METADATA_DROPPED")).toBe("Units of durations were left out: wait (ns), pair.took (ms), list.item (s).");
});
