import { expect, test } from "vitest";
import { assertNothingBehindLinks, unwantedOf } from "#services/conversion/inspectors/inside/archive-links.ts";
import type { Member } from "#services/conversion/inspectors/inside/archive-listing.ts";
import { processorMsOf } from "#test/harness/linear-growth.ts";

const member = (name: string, sort: string, link?: string): Member => ({
  ...{ name, listed: name, sort, link, mode: 0o644, owner: [], sizeBytes: 0, digest: undefined },
});

test("a link that leads out through another link is rejected", () => {
  const members = [member("a", "link", "."), member("b", "link", "a/.."), member("c", "link", "a/a/f"), member("f", "file")];
  expect([...unwantedOf(members)].map(({ name }) => name)).toEqual(["b"]);
});

test("deep names and long link chains take linear time", () => {
  const deep = Array.from({ length: 30_000 }, () => "a").join("/");
  const members = [member("long", "link", `${deep}/..`), ...Array.from({ length: 50_000 }, (_, at) => member(`l${at}`, "link", "long"))];
  const names = [...members.map(({ name }) => name), ...Array.from({ length: 100 }, () => deep)];
  // A quadratic algorithm would take hours.
  expect(processorMsOf(() => unwantedOf([...members, member(deep, "file")]))).toBeLessThan(20_000);
  expect(processorMsOf(() => assertNothingBehindLinks(names, members))).toBeLessThan(20_000);
});
