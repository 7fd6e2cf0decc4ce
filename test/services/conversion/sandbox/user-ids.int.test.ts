import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { openUserIds } from "#services/conversion/sandbox/user-ids.ts";
import { eventually } from "#test/harness/eventually.ts";

let next = 3_000_000_000 + process.pid * 100;
const freshRange = () => {
  next += 1_000_000;
  return next;
};
const claimed = (ids: ReturnType<typeof openUserIds>, count: number) => Promise.all(Array.from({ length: count }, () => ids.claim()));

describe("user ids for runs", () => {
  it("are 500, and another claim is rejected until one is released", async () => {
    const first = freshRange();
    await using ids = openUserIds(first);
    const all = await claimed(ids, 500);
    expect(new Set(all)).toEqual(new Set(Array.from({ length: 500 }, (_, index) => first + index)));
    await expect(ids.claim()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    ids.release(first + 7);
    expect(await ids.claim()).toBe(first + 7);
  });

  it("are rotated after use", async () => {
    await using ids = openUserIds(freshRange());
    const used: number[] = [];
    for (let run = 0; run < 32; run += 1) {
      used.push(await ids.claim());
      ids.release(used.at(-1) ?? 0);
    }
    expect(new Set(used.slice(0, 16)).size).toBe(16);
    expect(used.slice(16)).toEqual(used.slice(0, 16));
  });

  it("are not shared with another Filemill on this host until none are left", async () => {
    const first = freshRange();
    await using one = openUserIds(first);
    await using other = openUserIds(first);
    const mine = await claimed(one, 300);
    const theirs = await claimed(other, 200);
    expect(new Set([...mine, ...theirs]).size).toBe(500);
    const shared = await claimed(other, 300);
    expect(new Set(shared)).toEqual(new Set(mine));
  });

  it("are free again once their process was killed", async () => {
    const first = freshRange();
    const script = `const { openUserIds } = await import("#services/conversion/sandbox/user-ids.ts");
      const ids = openUserIds(${first}); for (let i = 0; i < 499; i++) await ids.claim(); console.log("holding"); setInterval(() => {}, 1e9)`;
    const holder = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    await using before = openUserIds(first);
    const left = await before.claim();
    holder.kill("SIGKILL");
    await once(holder, "exit");
    await eventually(async () => {
      await using ids = openUserIds(first);
      expect(new Set([left, ...(await claimed(ids, 499))]).size).toBe(500);
    });
  });
});
