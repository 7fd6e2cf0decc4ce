import { expect, it } from "vitest";
import { openTestBroker } from "#test/harness/broker.ts";

const codec = { encode: (value: string) => Buffer.from(value), decode: (bytes: Uint8Array) => Buffer.from(bytes).toString() };

it("delivers every key's last value to a watcher while other keys are removed", async () => {
  await using shared = await openTestBroker();
  const bucket = await shared.broker.bucket("busy", codec);
  const seen = new Map<string, number>();
  await using _watch = await bucket.watch((key, entry) => {
    if (entry !== undefined) seen.set(key, entry.revision);
  });
  let going = true;
  const removing = (async () => {
    for (let index = 0; going; index += 1) {
      await bucket.create(`gone${index}`, "x");
      await bucket.remove(`gone${index}`);
    }
  })();
  const last = new Map<string, number>();
  const write = async (key: string): Promise<void> => {
    const revision = await bucket.create(key, "a");
    last.set(key, await bucket.update(key, "b", revision));
  };
  for (let index = 0; index < 1000; index += 4) await Promise.all([0, 1, 2, 3].map((more) => write(`key${index + more}`)));
  going = false;
  await removing;
  await expect.poll(() => [...last].filter(([key, revision]) => seen.get(key) !== revision)).toEqual([]);
});
