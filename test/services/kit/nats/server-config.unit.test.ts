import { describe, expect, test } from "vitest";
import { canSyncAlways, parseServerVersion, serverConfigText } from "#kit/nats/server-config.ts";

describe("the server version", () => {
  test.each([
    ["nats-server: v2.9.10\n", "2.9.10", false],
    ["nats-server: v2.10.27", "2.10.27", true],
    ["nats-server: v2.15.1-beta.2", "2.15.1-beta.2", true],
    ["nats-server: v3.0.0", "3.0.0", true],
  ])("of %j is %s", (output, text, syncs) => {
    const version = parseServerVersion(output);
    expect(version.text).toBe(text);
    expect(canSyncAlways(version)).toBe(syncs);
  });

  test("throws when there is none", () => {
    expect(() => parseServerVersion("usage: something else")).toThrow("version");
  });
});

test("quotes configured values and syncs every write if the server supports it", () => {
  const passwords = { filemill: "p#$x", account: "a", catalogue: "c", job: "j", conversion: "v", webhook: "w" };
  const given = { dir: '/data/a "b"', port: 4000, passwords, storeBytes: 1000 };
  const old = serverConfigText({ ...given, version: parseServerVersion("v2.9.10") });
  expect(old).toContain(String.raw`store_dir: "/data/a \"b\"/store"`);
  expect(old).toContain('password: "p#$x"');
  expect(old).not.toContain("sync_interval");
  expect(serverConfigText({ ...given, version: parseServerVersion("v2.10.0") })).toContain("sync_interval: always");
});
