import { expect, test } from "vitest";
import { assertSafe, leavesFolder, parseListing, readListed } from "#services/conversion/inspectors/inside/archive-listing.ts";

const listed = (escaped: string) => () => assertSafe(parseListing(`#mtree\n./${escaped} type=file size=1 sha256digest=00\n`), 100);

test.each(["a\\033[2J.txt", "a\\012../../slip", "a\\007", "a\\302\\233m", "Icon\\015\\012", "a\\177"])(
  "a name with control characters is rejected: %s",
  (name) => {
    expect(listed(name)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  },
);

test.each(["a.txt", "\\303\\244 b.txt", "\\346\\227\\245", "Icon\\015", "a/Icon\\015", "\\360\\237\\246\\212"])(
  "an ordinary name is accepted: %s",
  (name) => {
    expect(listed(name)).not.toThrow();
  },
);

test("a name with escaped bytes is no Windows path, and is legacy-encoded only if it is not UTF-8", () => {
  const dos = readListed("\\216\\342.txt");
  expect(leavesFolder(dos.name)).toBe(false);
  expect(dos.legacy).toEqual(Buffer.from([0x8e, 0xe2, ...Buffer.from(".txt")]));
  expect(readListed("\\360\\237\\246\\212 ü")).toEqual({ name: "🦊 ü", legacy: undefined });
  expect(leavesFolder(readListed("..\\\\climbs").name)).toBe(true);
});
