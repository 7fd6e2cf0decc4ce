import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createDiskFlush } from "#kit/nats/disk-flush.ts";

it("reports a disk that cannot flush as UNAVAILABLE, not as a defect", async () => {
  const dir = await mkdtemp(join(tmpdir(), "filemill-flush-"));
  const flush = createDiskFlush(dir);
  await flush();
  await rm(dir, { recursive: true });
  const failures = await Promise.all([flush(), flush()].map((each) => each.catch((error: unknown) => error)));
  for (const failure of failures) expect(failure).toMatchObject({ code: "UNAVAILABLE", retryAfterMs: 10_000 });
});
