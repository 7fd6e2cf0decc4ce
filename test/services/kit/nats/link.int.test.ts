import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ErrorCode, NatsError } from "nats";
import { afterEach, expect, test, vi } from "vitest";
import { openLink } from "#kit/nats/link.ts";
import { openTestBroker } from "#test/harness/broker.ts";

afterEach(() => vi.useRealTimers());

test("retries a request even if the process was suspended for longer than the outage limit", async () => {
  await using shared = await openTestBroker();
  const config = await readFile(join(shared.dataDir, "nats/server.conf"), "utf8");
  const port = /^port: (\d+)$/m.exec(config)?.[1];
  const pass = await readFile(join(shared.dataDir, "nats/password"), "utf8");
  await using link = await openLink({ servers: `127.0.0.1:${port}`, user: "filemill", pass }, shared.log);
  vi.useFakeTimers({ toFake: ["performance"] });
  let tries = 0;
  const late = async (): Promise<string> => {
    tries += 1;
    vi.advanceTimersByTime(60_000);
    if (tries === 1) throw NatsError.errorForCode(ErrorCode.Timeout);
    return "answer";
  };
  expect(await link.retry(late)).toBe("answer");
  await expect(link.retry(() => Promise.reject(NatsError.errorForCode(ErrorCode.Timeout)).finally(late))).rejects.toMatchObject({
    code: "UNAVAILABLE",
  });
});
