/** Each service's user at the embedded broker, and what it cannot reach of the others. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, createInbox, type NatsConnection, StringCodec } from "nats";
import { beforeAll, describe, expect, it } from "vitest";
import { type BrokerUser, brokerUsers, grants, inboxPrefixOf } from "#contract/grants.ts";
import { openTestBroker } from "#test/harness/broker.ts";
import { opened } from "#test/harness/opened.ts";
import { textCodec } from "#test/services/kit/nats/text-codec.ts";

const { encode, decode } = StringCodec();
const lanes = ["image"];
const shared = opened(openTestBroker);
let port: number;
beforeAll(async () => {
  port = Number(/^port: (\d+)$/m.exec(await readFile(join(shared.dataDir, "nats/server.conf"), "utf8"))?.[1]);
  for (const name of buckets) await (await shared.broker.bucket(name, textCodec)).put("kept", `of ${name}`);
  await shared.broker.workQueue("JOBS", lanes, { ackWaitMs: 30_000 });
});

const buckets = [...new Set(brokerUsers.flatMap((user) => Object.keys(grants[user].buckets)))];
const strange = brokerUsers.flatMap((user) =>
  buckets.filter((bucket) => grants[user].buckets[bucket] === undefined).map((bucket) => [user, bucket] as const),
);

type Raw = AsyncDisposable & { readonly nc: NatsConnection; violations(): Promise<readonly string[]> };

/** Bypasses the services' own client, which enforces the rules itself. */
async function connectAs(user: BrokerUser): Promise<Raw> {
  const pass = await readFile(join(shared.dataDir, `nats/password-${user}`), "utf8");
  const nc = await connect({ servers: `127.0.0.1:${port}`, user, pass, inboxPrefix: inboxPrefixOf(user), reconnect: false });
  const heard: string[] = [];
  void (async () => {
    for await (const status of nc.status()) if (status.type === "error") heard.push(String(status.permissionContext?.subject));
  })();
  return {
    nc,
    async violations() {
      await nc.flush();
      // The server's messages precede its answer to the flush and are delivered one turn later.
      await new Promise((resolve) => setImmediate(resolve));
      return heard;
    },
    [Symbol.asyncDispose]: () => nc.close(),
  };
}

describe("a service's broker user", () => {
  it("exists for each service with its own password", async () => {
    const passwords = await Promise.all(brokerUsers.map((user) => readFile(join(shared.dataDir, `nats/password-${user}`), "utf8")));
    expect(new Set(passwords).size).toBe(brokerUsers.length);
    for (const password of passwords) expect(password).toMatch(/^[\w-]{43}$/);
  });

  it.each(strange)("%s cannot read, watch, write or remove in the bucket %s", async (user, bucket) => {
    await using raw = await connectAs(user);
    const stream = `KV_${bucket}`;
    const publishes = [
      ...["STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET", "STREAM.MSG.DELETE", "CONSUMER.CREATE", "STREAM.DELETE", "STREAM.PURGE"].map(
        (call) => `$JS.API.${call}.${stream}`,
      ),
      `$JS.API.DIRECT.GET.${stream}.$KV.${bucket}.kept`,
      `$JS.API.CONSUMER.CREATE.${stream}.spy.$KV.${bucket}.>`,
      `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.spy`,
      `$JS.API.STREAM.SNAPSHOT.${stream}`,
      `$KV.${bucket}.kept`,
    ];
    for (const subject of publishes) raw.nc.publish(subject, encode("{}"), { reply: createInbox(inboxPrefixOf(user)) });
    const hears = [`$KV.${bucket}.>`, `$JS.API.DIRECT.GET.${stream}.>`];
    for (const subject of hears) raw.nc.subscribe(subject);
    expect([...(await raw.violations())].sort()).toEqual([...publishes, ...hears].sort());
    expect((await (await shared.broker.bucket(bucket, textCodec)).get("kept"))?.value).toBe(`of ${bucket}`);
  });

  it.each(brokerUsers)("%s cannot create a stream that mirrors another or receive replies to others", async (user) => {
    await using raw = await connectAs(user);
    const own = Object.keys(grants[user].buckets).map((name) => `KV_${name}`);
    const copy = (name: string): Uint8Array => encode(JSON.stringify({ name, mirror: { name: "KV_keys" } }));
    const subjects = [...own, "KV_copy"].flatMap((name) => [`$JS.API.STREAM.CREATE.${name}`, `$JS.API.STREAM.UPDATE.${name}`]);
    for (const subject of subjects) raw.nc.publish(subject, copy(subject.split(".").at(-1) ?? ""));
    const others = ["_INBOX.>", "_INBOX_account.>", "_INBOX_job.>", ">", "$JS.>", "$SYS.>"].filter((name) => name !== `_INBOX_${user}.>`);
    for (const subject of others) raw.nc.subscribe(subject);
    expect([...(await raw.violations())].sort()).toEqual([...subjects, ...others].sort());
  });

  it.each(["account", "catalogue"] as const)("%s has no access to the queue", async (user) => {
    await using raw = await connectAs(user);
    const subjects = [
      "JOBS.image.x",
      "$JS.API.CONSUMER.MSG.NEXT.JOBS.image",
      "$JS.API.STREAM.MSG.GET.JOBS",
      "$JS.ACK.JOBS.image.1.1.1.1.0",
    ];
    for (const subject of subjects) raw.nc.publish(subject, encode("{}"));
    expect([...(await raw.violations())].sort()).toEqual([...subjects].sort());
    await expect((await shared.broker.as(user)).workQueue("JOBS", lanes, { ackWaitMs: 30_000 })).rejects.toThrow("no business");
  });

  it("conversion can only consume wake-ups, job can only publish them", async () => {
    await using conversion = await connectAs("conversion");
    conversion.nc.publish("JOBS.image.x", encode(""));
    expect(await conversion.violations()).toEqual(["JOBS.image.x"]);
    await using job = await connectAs("job");
    job.nc.publish("$JS.API.CONSUMER.MSG.NEXT.JOBS.image", encode("1"));
    expect(await job.violations()).toEqual(["$JS.API.CONSUMER.MSG.NEXT.JOBS.image"]);
  });

  it("can read its own bucket", async () => {
    await using raw = await connectAs("account");
    const stored = await raw.nc.request("$JS.API.DIRECT.GET.KV_keys.$KV.keys.kept", encode(""));
    expect(decode(stored.data)).toBe("of keys");
  });

  it("is restricted by the service's own client on any server", async () => {
    const conversion = await shared.broker.as("conversion");
    await expect(conversion.bucket("keys", textCodec)).rejects.toThrow("the service conversion has no business with the bucket keys");
  });

  it("can write, watch, count and remove in its own buckets, and exchange wake-ups", async () => {
    const [job, conversion] = await Promise.all([shared.broker.as("job"), shared.broker.as("conversion")]);
    const bucket = await job.bucket("jobs", textCodec);
    const seen: string[] = [];
    await using _watch = await bucket.watch((key, entry) => seen.push(`${key}=${entry?.value}`));
    // If an entry changes quickly, only its latest value is sure to be delivered.
    const revision = await bucket.create("a", "1");
    await expect.poll(() => seen).toEqual(["kept=of jobs", "a=1"]);
    await bucket.update("a", "2", revision);
    await expect.poll(() => seen).toEqual(["kept=of jobs", "a=1", "a=2"]);
    await bucket.remove("a");
    await expect.poll(() => seen).toEqual(["kept=of jobs", "a=1", "a=2", "a=undefined"]);
    await expect.poll(() => job.healthy()).toBe(true);

    const feed = await job.workQueue("JOBS", lanes, { ackWaitMs: 30_000 });
    const take = await conversion.workQueue("JOBS", lanes, { ackWaitMs: 30_000 });
    await feed.publish("image", "withdrawn");
    await feed.withdraw("image", "withdrawn");
    const taken: string[] = [];
    await using _consumer = await take.consume("image", 1, async (delivery) => {
      taken.push(delivery.jobId);
      if (delivery.deliveries === 1) return delivery.retry(1);
      await delivery.ack();
    });
    await feed.publish("image", "one");
    await expect.poll(() => taken).toEqual(["one", "one"]);
    await expect.poll(() => feed.waiting("image")).toBe(0);
    await expect.poll(() => feed.has("image", "one")).toBe(false);
  });
});
