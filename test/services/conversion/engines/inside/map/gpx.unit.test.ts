import { expect, it } from "vitest";
import { readGpx } from "#services/conversion/engines/inside/map/gpx.ts";

it.each([
  ["<name>Blue Hills</name><author>Ann</author>", true],
  ["<metadata><name>Blue Hills</name></metadata>", true],
  ["<extensions><x>1</x></extensions>", true],
  ['<bounds minlat="1"/><metadata/>', false],
])("what describes the file is found beside its places, as GPX 1.0 writes it too: %s", (said, has) => {
  const text = `<gpx>${said}<wpt lat="1" lon="2"><name>W</name></wpt></gpx>`;
  expect(readGpx(text)).toMatchObject({ hasMetadata: has, waypoints: [{ values: { name: "W" } }] });
});
