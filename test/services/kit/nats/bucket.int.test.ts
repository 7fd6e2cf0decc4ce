import { beforeAll, describe, expect, test, vi } from "vitest";
import { type Bucket, RevisionConflict } from "#kit/nats/ports.ts";
import { openTestBroker } from "#test/harness/broker.ts";
import { eventually } from "#test/harness/eventually.ts";
import { opened } from "#test/harness/opened.ts";
import { killServer, textCodec } from "./text-codec.ts";

const shared = opened(openTestBroker);
let bucket: Bucket<string>;
let names = 0;
const openBucket = (options?: { ttlMs: number }): Promise<Bucket<string>> => {
  names += 1;
  return shared.broker.bucket(`bucket-${names}`, textCodec, options);
};

beforeAll(async () => {
  bucket = await openBucket();
});

describe("compare and set", () => {
  test("reads what was written", async () => {
    const revision = await bucket.create("a.b", "one");
    expect(await bucket.get("a.b")).toEqual({ key: "a.b", value: "one", revision });
    const next = await bucket.update("a.b", "two", revision);
    expect(next).toBeGreaterThan(revision);
    expect(await bucket.get("a.b")).toEqual({ key: "a.b", value: "two", revision: next });
    expect(await bucket.get("absent")).toBeUndefined();
  });

  test("creates an entry only once, and again after its removal", async () => {
    const revision = await bucket.create("once", "first");
    await expect(bucket.create("once", "second")).rejects.toThrow(RevisionConflict);
    await bucket.remove("once");
    expect(await bucket.get("once")).toBeUndefined();
    expect(await bucket.create("once", "third")).toBeGreaterThan(revision);
    expect((await bucket.get("once"))?.value).toBe("third");
  });

  test("does not recreate a recently removed entry with unlessRemoved", async () => {
    expect(await bucket.create("first", "one", { unlessRemoved: true })).toBeGreaterThan(0);
    await expect(bucket.create("first", "two", { unlessRemoved: true })).rejects.toThrow(RevisionConflict);
    await bucket.remove("first");
    await expect(bucket.create("first", "three", { unlessRemoved: true })).rejects.toThrow(RevisionConflict);
    expect(await bucket.get("first")).toBeUndefined();
  });

  test("lets one of 20 concurrent updates win", async () => {
    const revision = await bucket.create("race", "start");
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => bucket.update("race", `racer ${i}`, revision)));
    const lost = results.filter((result) => result.status === "rejected");
    expect(lost).toHaveLength(19);
    for (const { reason } of lost) expect(reason).toBeInstanceOf(RevisionConflict);
  });

  test.each(["a b", "a.*", ">", "", "a..b", ".a", "a/b", "ü"])("rejects %j as a key", async (key) => {
    await expect(async () => bucket.put(key, "x")).rejects.toThrow(TypeError);
    await expect(async () => bucket.get(key)).rejects.toThrow(TypeError);
  });
});

describe("watch", () => {
  test("delivers existing entries, then changes in order", async () => {
    const watched = await openBucket();
    await watched.create("a", "1");
    await watched.update("b", "2", await watched.create("b", "1"));
    const seen: string[] = [];
    await using _watch = await watched.watch((key, entry) => seen.push(`${key}=${entry?.value ?? "-"}`));
    expect(seen).toEqual(["a=1", "b=2"]);
    // Not put, which an outage may have executed twice.
    await watched.create("c", "1");
    await watched.remove("a");
    // The bucket keeps only the newest revision of an entry: if it is rewritten before the watcher is notified, its removal is lost.
    await eventually(() => expect(seen.slice(2)).toEqual(["c=1", "a=-"]));
    await watched.create("a", "2");
    await eventually(() => expect(seen.slice(2)).toEqual(["c=1", "a=-", "a=2"]));
  });

  test("delivers the latest value of an entry that changes faster than it is delivered", async () => {
    const watched = await openBucket();
    const seen: string[] = [];
    await using _watch = await watched.watch((key, entry) => seen.push(`${key}=${entry?.value ?? "-"}`));
    for (let i = 0; i < 20; i += 1) {
      await watched.remove("a");
      await watched.put("a", `${i}`);
    }
    await eventually(() => expect(seen.at(-1)).toBe("a=19"));
    const values = seen.filter((each) => each !== "a=-").map((each) => Number(each.slice(2)));
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  });

  test("starts at once on an empty bucket and is silent after disposal", async () => {
    const watched = await openBucket();
    const early = vi.fn();
    const watch = await watched.watch(early);
    await watch[Symbol.asyncDispose]();
    const late = vi.fn();
    await using _other = await watched.watch(late);
    await watched.create("a", "1");
    await eventually(() => expect(late).toHaveBeenCalledOnce());
    expect(early).not.toHaveBeenCalled();
  });

  test("skips entries that the watcher already has, but not their removal", async () => {
    const own = await openBucket();
    const seen: (string | undefined)[] = [];
    const leftOut: string[] = [];
    let newest = Number.MAX_SAFE_INTEGER;
    await using _watch = await own.watch(
      (key, entry) => seen.push(`${key}=${entry?.value}`),
      (key, revision) => {
        const isMine = key === "mine" && revision <= newest;
        if (isMine) leftOut.push(key);
        return isMine;
      },
    );
    const revision = await own.create("mine", "1");
    await own.create("theirs", "1");
    await eventually(() => expect([leftOut, seen]).toEqual([["mine"], ["theirs=1"]]));
    newest = revision;
    await own.remove("mine");
    await eventually(() => expect(seen).toEqual(["theirs=1", "mine=undefined"]));
  });

  test("reports the removal of an entry that the watcher wrote, even if it was removed before delivery", async () => {
    const own = await openBucket();
    const revisions = { mine: await own.create("mine", "1"), newer: 0, theirs: 0 };
    await own.create("newer", "1");
    await own.create("theirs", "1");
    for (const key of Object.keys(revisions)) await own.remove(key);
    // Written again after the removal: reporting the removal would delete the new entry.
    revisions.newer = Number.MAX_SAFE_INTEGER;
    const seen: string[] = [];
    await using _watch = await own.watch(
      (key, entry) => seen.push(`${key}=${entry?.value}`),
      (key, revision) => revisions[key as keyof typeof revisions] >= revision,
    );
    expect(seen).toEqual(["mine=undefined"]);
  });

  test("does not report a removal that the watcher has since overwritten", async () => {
    const own = await openBucket();
    const seen: string[] = [];
    let written = 0;
    await using _watch = await own.watch(
      (key, entry) => seen.push(`${key}=${entry?.value}`),
      (key, revision) => key === "a" && revision <= written,
    );
    await own.create("a", "1");
    await eventually(() => expect(seen).toEqual(["a=1"]));
    written = Number.MAX_SAFE_INTEGER;
    await own.remove("a");
    await own.create("b", "1");
    await eventually(() => expect(seen).toEqual(["a=1", "b=1"]));
  });

  test("reports an expired entry as removed", async () => {
    const watched = await openBucket({ ttlMs: 3000 });
    const seen: string[] = [];
    await using _watch = await watched.watch((key, entry) => seen.push(`${key}=${entry?.value ?? "-"}`));
    await watched.create("a", "1");
    await eventually(() => expect(seen).toEqual(["a=1", "a=-"]));
    await eventually(async () => expect(await watched.get("a")).toBeUndefined());
  });

  test("survives a callback that throws and a value that cannot be decoded", async () => {
    const watched = await openBucket();
    const strict = {
      encode: textCodec.encode,
      decode(bytes: Uint8Array): string {
        const text = textCodec.decode(bytes);
        if (text === "broken") throw new Error("cannot be read");
        return text;
      },
    };
    const seen: string[] = [];
    const reader = await shared.broker.bucket(`bucket-${names}`, strict);
    await using _watch = await reader.watch((key) => {
      seen.push(key);
      if (key === "a") throw new Error("a defect");
    });
    await watched.create("a", "1");
    await watched.create("b", "broken");
    await watched.create("c", "1");
    await eventually(() => expect(seen).toEqual(["a", "c"]));
  });
});

describe("when the server is killed", () => {
  test("pending writes are resolved, acknowledged ones kept, and watches continue", async () => {
    const watched = await openBucket();
    const seen = new Map<string, string | undefined>();
    await using _watch = await watched.watch((key, entry) => seen.set(key, entry?.value));
    let revision = await watched.create("counter", "0");
    for (let i = 1; i <= 300; i++) {
      if (i % 100 === 50) await killServer(shared.dataDir);
      revision = await watched.update("counter", String(i), revision);
    }
    expect((await watched.get("counter"))?.value).toBe("300");
    await eventually(() => expect(seen.get("counter")).toBe("300"));
  });

  test("a watch reports a removal that it missed", async () => {
    const watched = await openBucket();
    await watched.create("stays", "1");
    await watched.create("goes", "1");
    const seen: string[] = [];
    await using _watch = await watched.watch((key, entry) => seen.push(`${key}=${entry?.value ?? "-"}`));
    await killServer(shared.dataDir);
    await watched.remove("goes");
    await watched.create("comes", "1");
    await eventually(() => expect(seen.slice(2).sort()).toEqual(["comes=1", "goes=-"]));
  });
});
