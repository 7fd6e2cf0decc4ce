import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type NatsConnection, StringCodec } from "nats";
import { beforeAll, describe, expect, it } from "vitest";
import { openRaw } from "#test/gateway/raw-client.ts";
import { openTestBroker } from "#test/harness/broker.ts";
import { opened } from "#test/harness/opened.ts";
import { textCodec } from "./text-codec.ts";

const shared = opened(openTestBroker);
let port: number;
let password: string;
beforeAll(async () => {
  const conf = await readFile(join(shared.dataDir, "nats/server.conf"), "utf8");
  port = Number(/^port: (\d+)$/m.exec(conf)?.[1]);
  password = await readFile(join(shared.dataDir, "nats/password"), "utf8");
});

/** The server's output to a client that sends these lines. */
async function say(lines: string): Promise<string> {
  const client = await openRaw(port);
  await client.until((text) => text.includes("\r\n"));
  client.send(lines);
  const heard = await client.until((text) => /-ERR|PONG/.test(text));
  client.socket.destroy();
  return heard.slice(heard.indexOf("\r\n") + 2);
}

describe("the embedded broker", () => {
  it.each([
    ["a client without credentials", 'CONNECT {"verbose":false}\r\nPING\r\n'],
    ["a wrong password", 'CONNECT {"user":"filemill","pass":"guess"}\r\nPING\r\n'],
    ["a user without a password", 'CONNECT {"user":"filemill"}\r\nPING\r\n'],
    ["a token", 'CONNECT {"auth_token":"guess"}\r\nPING\r\n'],
    ["a client that subscribes without connecting", "SUB > 1\r\nPING\r\n"],
  ])("rejects %s", async (_who, lines) => {
    expect(await say(lines)).toContain("-ERR 'Authorization Violation'");
  });

  it("waits for the password of a slow client", async () => {
    const client = await openRaw(port);
    await client.until((text) => text.includes("\r\n"));
    await sleep(3000);
    client.send(`CONNECT {"user":"filemill","pass":"${password}"}\r\nPING\r\n`);
    expect(await client.until((text) => /-ERR|PONG/.test(text))).not.toContain("-ERR");
    client.socket.destroy();
  });

  it("accepts its own user, with a random password that no other user can read", async () => {
    expect(await say(`CONNECT {"user":"filemill","pass":"${password}"}\r\nPING\r\n`)).toContain("PONG");
    expect(password).toMatch(/^[\w-]{43}$/);
    const folder = join(shared.dataDir, "nats");
    const modes = await Promise.all(["", "server.conf", "password"].map(async (name) => (await stat(join(folder, name))).mode & 0o777));
    expect(modes).toEqual([0o700, 0o600, 0o600]);
    await using other = await openTestBroker();
    expect(await readFile(join(other.dataDir, "nats/password"), "utf8")).not.toBe(password);
  });

  it("listens on one port, on loopback only", async () => {
    const pid = (await readFile(join(shared.dataDir, "nats/server.pid"), "utf8")).trim();
    const sockets = await Promise.all((await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")));
    const inodes = new Set(sockets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
    const tables = await Promise.all(["tcp", "tcp6"].map((name) => readFile(`/proc/${pid}/net/${name}`, "utf8")));
    const listening = tables
      .flatMap((table) => table.trim().split("\n").slice(1))
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === "0A" && inodes.has(columns[9] ?? ""))
      .map((columns) => columns[1]);
    expect(listening).toEqual([`0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`]);
  });

  it("limits its user to Filemill's own streams, without the system account", async () => {
    const bucket = await shared.broker.bucket("kept", textCodec);
    await bucket.put("key", "value");
    const nc = await connect({ servers: `127.0.0.1:${port}`, user: "filemill", pass: password, reconnect: false });
    const violations: string[] = [];
    void collect(nc, violations);
    const empty = StringCodec().encode("{}");
    for (const subject of ["$SYS.REQ.SERVER.PING", "$JS.API.STREAM.DELETE.KV_kept", "$JS.API.STREAM.PURGE.KV_kept", "other.subject"]) {
      nc.publish(subject, empty);
    }
    for (const subject of [">", "$SYS.>", "$KV.>", "JOBS.>"]) nc.subscribe(subject);
    await nc.flush();
    await expect.poll(() => violations).toHaveLength(8);
    expect(violations.every((line) => line.includes("PERMISSIONS_VIOLATION") || line.toLowerCase().includes("permissions violation"))).toBe(
      true,
    );
    await nc.close();
    expect((await bucket.get("key"))?.value).toBe("value");
  });

  it("rejects a message over one megabyte", async () => {
    const opening = `CONNECT {"user":"filemill","pass":"${password}"}\r\n`;
    expect(await say(`${opening}PUB JOBS.image.x 1048577\r\n`)).toContain("Maximum Payload Violation");
  });
});

async function collect(nc: NatsConnection, violations: string[]): Promise<void> {
  for await (const status of nc.status()) if (status.type === "error") violations.push(String(status.data));
}
