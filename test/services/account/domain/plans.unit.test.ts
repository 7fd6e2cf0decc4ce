import { describe, expect, test } from "vitest";
import { SettingError } from "#kit/config.ts";
import { defaultPlans, parsePlans } from "#services/account/domain/plans.ts";

const free = { apiAccess: false, maxInputMb: 25, requestsPerMinute: 10, maxUnfinishedJobs: 5, retentionSeconds: 3600 };

function messageOf(text: string): string {
  try {
    parsePlans(text, "plans.json");
  } catch (error) {
    expect(error).toBeInstanceOf(SettingError);
    return String(error);
  }
  throw new Error("was accepted");
}

describe("plans", () => {
  test("default to free without and plus with API access", () => {
    expect(defaultPlans.get("free")).toMatchObject({ apiAccess: false, maxInputMb: 25 });
    expect(defaultPlans.get("plus")).toMatchObject({
      id: "plus",
      apiAccess: true,
      maxInputMb: 500,
      requestsPerMinute: 60,
      maxUnfinishedJobs: 20,
      retentionSeconds: 86_400,
    });
  });

  test("are read from a file as written", () => {
    const plans = parsePlans(JSON.stringify({ free, "team-1": { ...free, apiAccess: true } }), "plans.json");
    expect([...plans.keys()]).toEqual(["free", "team-1"]);
    expect(plans.get("team-1")).toMatchObject({ id: "team-1", label: "Team-1", apiAccess: true, retentionSeconds: 3600 });
    expect(parsePlans(JSON.stringify({ free: { ...free, label: "Für alle" } }), "plans.json").get("free")?.label).toBe("Für alle");
  });

  test("from an older file get default limits, large enough for their own files", () => {
    const plans = parsePlans(JSON.stringify({ free, big: { ...free, apiAccess: true, maxInputMb: 9000 } }), "plans.json");
    expect(plans.get("free")).toMatchObject({ maxStoredMb: 1000, maxResultMb: 500, processorSecondsPerHour: 1800 });
    expect(plans.get("big")).toMatchObject({ maxStoredMb: 36_000, maxResultMb: 8000, processorSecondsPerHour: 36_000 });
    const own = { maxStoredMb: 30, maxResultMb: 20, processorSecondsPerHour: 10 };
    expect(parsePlans(JSON.stringify({ free: { ...free, ...own } }), "plans.json").get("free")).toMatchObject(own);
  });

  test.each([
    ["invalid JSON", "{", "must hold one JSON object"],
    ["an array", "[]", "must hold one JSON object"],
    ["no plan", "{}", "holds no plan"],
    ["a plan that is not an object", '{"free":1}', "free must be an object"],
    ["an empty label", JSON.stringify({ free: { ...free, label: "" } }), 'free.label must be text of 1 to 40 characters, not ""'],
    ["an invalid plan id", JSON.stringify({ Free: free }), '"Free" is not a plan id'],
    [
      "a missing field",
      JSON.stringify({ free: { ...free, maxInputMb: undefined } }),
      "free.maxInputMb must be an integer from 1 to 1000000, not missing",
    ],
    [
      "a number as a string",
      JSON.stringify({ free: { ...free, requestsPerMinute: "60" } }),
      'free.requestsPerMinute must be an integer from 1 to 10000000, not "60"',
    ],
    ["a fraction", JSON.stringify({ free: { ...free, maxUnfinishedJobs: 1.5 } }), "free.maxUnfinishedJobs must be an integer"],
    [
      "a number out of range",
      JSON.stringify({ free: { ...free, retentionSeconds: 0 } }),
      "free.retentionSeconds must be an integer from 1",
    ],
    ["a non-boolean apiAccess", JSON.stringify({ free: { ...free, apiAccess: "yes" } }), 'free.apiAccess must be true or false, not "yes"'],
    [
      "a non-numeric limit",
      JSON.stringify({ free: { ...free, maxResultMb: "all" } }),
      'free.maxResultMb must be an integer from 1 to 1000000, not "all"',
    ],
    [
      "storage smaller than one file",
      JSON.stringify({ free: { ...free, maxStoredMb: 24 } }),
      "free.maxStoredMb must be at least free.maxInputMb (25), not 24",
    ],
    ["an unknown field", JSON.stringify({ free: { ...free, colour: "red" } }), "free.colour is not a field of a plan"],
  ])("with %s are rejected, naming the file and field", (_, text, part) => {
    expect(messageOf(text)).toContain(`PLANS_FILE plans.json: `);
    expect(messageOf(text)).toContain(part);
  });
});
