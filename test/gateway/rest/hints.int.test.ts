/** Error messages that suggest what was probably meant. */
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { beforeAll, describe, expect, it } from "vitest";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { png } from "#test/gateway/samples.ts";
import { auth, formOf, jsonOf, openStage, type Stage } from "#test/gateway/stage.ts";
import { opened } from "#test/harness/opened.ts";

const stage = opened(openStage);
beforeAll(async () => {
  // Hints are based on the gateway's copy of the catalogue.
  await fetch(`${stage.url}/api/v1/formats`);
});

async function refusalOf(on: Stage, form: FormData, query = "") {
  const answer = await fetch(`${on.url}/api/v1/convert${query}`, { method: "POST", headers: auth, body: form });
  return { status: answer.status, ...(await jsonOf(answer)).error };
}

function formWith(field: string, where: "before" | "after"): FormData {
  const form = formOf("webp", png);
  if (where === "after") form.append(field, "80");
  if (where === "after") return form;
  const first = new FormData();
  first.append(field, "80");
  for (const [name, value] of form) first.append(name, value);
  return first;
}

describe("an unknown form field", () => {
  it.each([
    ["quality", "before"],
    ["quality", "after"],
    ["download", "before"],
    ["from", "after"],
  ] as const)("(%s, %s the others) gets a hint to use the query string", async (field, where) => {
    const refusal = await refusalOf(stage, formWith(field, where));
    expect(refusal).toMatchObject({ status: 400, code: "UNEXPECTED_FIELD", details: { field } });
    expect(refusal.message).toContain(`goes into the query string (\`?${field}=…\`)`);
  });

  it("gets the hint next to several options too", async () => {
    const form = formWith("quality", "before");
    form.append("mode", "a");
    form.append("background", "#ffffff");
    expect((await refusalOf(stage, form)).message).toContain("query string");
  });

  it("gets a suggestion if it is mistyped", async () => {
    expect(await refusalOf(stage, formWith("flie", "before"))).toMatchObject({
      code: "UNEXPECTED_FIELD",
      message: expect.stringContaining("did you mean file?"),
      details: { field: "flie", suggestions: ["file"] },
    });
    const { message, details } = await refusalOf(stage, formWith("<script>", "before"));
    expect(message).not.toContain("script");
    expect(details).toEqual({ field: "<script>" });
  });
});

describe("a mistyped format", () => {
  it("as the target gets a suggestion among writable formats", async () => {
    expect(await refusalOf(stage, formOf("wepb", png))).toMatchObject({
      ...{ status: 422, code: "UNSUPPORTED_TARGET", message: expect.stringContaining("did you mean webp?") },
      details: { to: "wepb", suggestions: ["webp"] },
    });
  });

  it("as the source gets a suggestion among readable formats", async () => {
    expect(await refusalOf(stage, formOf("webp", png), "?from=pngg")).toMatchObject({
      ...{ status: 415, code: "UNKNOWN_SOURCE_FORMAT", message: expect.stringContaining("did you mean png?") },
      details: { from: "pngg", suggestions: ["png"] },
    });
    // This format can be written but not read.
    expect((await refusalOf(stage, formOf("webp", png), "?from=wepb")).details).toEqual({ from: "wepb" });
  });

  it("is rejected without suggestions while the catalogue is unknown", async () => {
    const transport = createRouterTransport(({ service }) => void service(CatalogueService, {}));
    await using without = await openStage({ deps: { catalogue: createClient(CatalogueService, transport) } });
    expect(await refusalOf(without, formOf("wepb", png))).toMatchObject({ code: "UNSUPPORTED_TARGET", details: { to: "wepb" } });
    expect(await refusalOf(without, formWith("quality", "before"))).toMatchObject({ code: "UNEXPECTED_FIELD" });
  });
});

it.each([
  ["", "MISSING_API_KEY", /Send your API key in the header `Authorization: Bearer <key>`/],
  ["Bearer ", "INVALID_API_KEY", /is the variable set\?/],
  [auth.authorization.replace("Bearer ", ""), "INVALID_API_KEY", /put `Bearer ` before the key/],
  ["Basic YTpi", "INVALID_API_KEY", /must read `Bearer <key>`\.$/],
])("Authorization %j is answered with %s and a hint", async (authorization, code, message) => {
  const answer = await fetch(`${stage.url}/api/v1/jobs`, { headers: { authorization } });
  expect(answer.status).toBe(401);
  expect((await jsonOf(answer)).error).toMatchObject({ code, message: expect.stringMatching(message) });
});
