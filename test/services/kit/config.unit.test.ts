import { expect, it } from "vitest";
import { parseSettings } from "#kit/config.ts";
import { settingTable } from "#kit/settings.ts";

it("repeats the value of a bad setting, but not of a secret one", () => {
  expect(() => parseSettings(settingTable, { PORT: "70000" })).toThrow('not "70000"');
  for (const [name, value] of [
    ["METRICS_TOKEN", "hunter2"],
    ["RPC_TOKEN", "hunter2"],
    ["NATS_URL", "http://me:hunter2@nats.example.org"],
  ] as const) {
    expect(() => parseSettings(settingTable, { [name]: value }), name).toThrow(new RegExp(`^${name} must be (?!.*hunter2)`));
  }
});
