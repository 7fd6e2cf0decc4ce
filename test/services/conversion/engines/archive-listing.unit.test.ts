import { expect, test } from "vitest";
import { assertSafe, parseListing } from "#services/conversion/engines/archive-listing.ts";

const listed = (escaped: string) => () => assertSafe(parseListing(`#mtree\n./${escaped} type=file size=1 sha256digest=00\n`), 100);

test.each(["a\\033[2J.txt", "a\\012../../slip", "a\\007", "a\\302\\233m", "Icon\\015\\012", "a\\177"])(
  "a name with control characters is refused: %s",
  (name) => {
    expect(listed(name)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  },
);

test.each(["a.txt", "\\303\\244 b.txt", "\\346\\227\\245", "Icon\\015", "a/Icon\\015", "\\360\\237\\246\\212"])(
  "an ordinary name is not: %s",
  (name) => {
    expect(listed(name)).not.toThrow();
  },
);
