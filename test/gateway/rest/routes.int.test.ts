import { describe, expect, it } from "vitest";
import { auth, jsonOf, openStage } from "#test/gateway/stage.ts";
import { opened } from "#test/harness/opened.ts";

describe("GET /api/v1/routes/{from}/{to}", () => {
  const stage = opened(openStage);
  const get = (path: string, headers: Record<string, string> = auth) => fetch(`${stage.url}/api/v1/routes/${path}`, { headers });

  it("returns hops with engine and version, options and the estimated time", async () => {
    const answer = await get("png/webp");
    expect(answer.status).toBe(200);
    const { route } = await jsonOf(answer);
    expect(route).toMatchObject({
      ...{ from: "png", to: "webp", fidelity: "high", async: false, maxInputMb: 1, estimateMs: 42 },
      hops: [{ engine: "sharp", label: "libvips", version: "8.18.7", from: "png", to: "webp", fidelity: "high" }],
    });
    expect(route.expectedNotes).toEqual([{ code: "METADATA_DROPPED", message: "Metadata is not carried over." }]);
    expect(route.options.map((option: { name: string }) => option.name)).toEqual(["quality", "mode", "background"]);
  });

  it("requires a key", async () => {
    expect((await get("png/webp", {})).status).toBe(401);
  });

  it("passes on why there is no route", async () => {
    const answer = await get("png/xlsx");
    expect({ status: answer.status, body: await jsonOf(answer) }).toMatchObject({
      status: 422,
      body: { error: { code: "UNSUPPORTED_CONVERSION", details: { from: "png", to: "xlsx" } } },
    });
    expect((await get(`png/${"x".repeat(3000)}`)).status).toBeGreaterThanOrEqual(400);
    expect((await get("png")).status).toBe(404);
    expect((await fetch(`${stage.url}/api/v1/routes/png/webp`, { method: "POST", headers: auth })).status).toBe(405);
  });
});
