import { expect, it } from "vitest";
import { placedBy } from "#services/conversion/sandbox/placed.ts";

const placed = placedBy([
  ["/job", "/srv/jobs/job/1"],
  ["/input/document", "/srv/job/blobs/a"],
  ["/input", "/srv/in"],
]);

it.each([
  ["/job", "/srv/jobs/job/1"],
  ["/job/out.pdf", "/srv/jobs/job/1/out.pdf"],
  ["-sOutputFile=/job/out", "-sOutputFile=/srv/jobs/job/1/out"],
  ["file:///job/a b.html#x", "file:///srv/jobs/job/1/a b.html#x"],
  ["-o/job/one -o/job/two", "-o/srv/jobs/job/1/one -o/srv/jobs/job/1/two"],
  ["/input/document", "/srv/job/blobs/a"],
  ["/input/documents", "/srv/in/documents"],
  ["/jobs /job.d /job-1", "/jobs /job.d /job-1"],
])("replaces %s with %s", (text, expected) => {
  expect(placed(text)).toBe(expected);
});

it("replaces nothing without mappings", () => {
  expect(placedBy([])("/job")).toBe("/job");
});
