import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, it } from "vitest";
import { errorTable } from "#contract/errors.ts";
import { endpoints } from "#gateway/routes/endpoints.ts";
import { png } from "#test/gateway/samples.ts";
import { auth, formOf, jsonOf, neverEnds, openStage, type Stage } from "#test/gateway/stage.ts";
import { opened } from "#test/harness/opened.ts";

/** Stands in for every path parameter. */
const example = "0".repeat(26);

describe("the OpenAPI document", () => {
  const stage = opened(openStage);
  const waiting = opened(() => openStage({ script: neverEnds, settings: { INLINE_WAIT_MS: 1 } }));
  // biome-ignore lint/suspicious/noExplicitAny: the document is what is under test.
  let document: any;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);

  beforeAll(async () => {
    document = await jsonOf(await fetch(`${stage.url}/api/v1/openapi.json`));
    ajv.addSchema({ $id: "filemill", components: document.components });
  });

  it("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
    expect(document.openapi).toBe("3.1.0");
  });

  it("lists exactly the endpoints that the server has", async () => {
    const documented = Object.entries<object>(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    const declared = Object.values(endpoints).flatMap((endpoint) =>
      "unlisted" in endpoint
        ? []
        : [endpoint.method, ...("head" in endpoint ? ["head"] : [])].map((method) => `${method.toLowerCase()} ${endpoint.path}`),
    );
    expect(documented.toSorted()).toEqual(declared.toSorted());
    for (const operation of documented) {
      const [method = "", path = ""] = operation.split(" ");
      const answer = await fetch(stage.url + path.replace("{id}", example), { method: method.toUpperCase() });
      expect({ operation, status: answer.status }).not.toMatchObject({ status: expect.toSatisfy((status) => status === 405) });
      const unknown =
        answer.status === 404 &&
        answer.headers.get("content-type")?.includes("json") &&
        method !== "head" &&
        (await jsonOf(answer)).error.code === "NOT_FOUND";
      expect({ operation, unknown }).toEqual({ operation, unknown: false });
    }
  });

  it("answers other methods of every path with 405 and Allow", async () => {
    for (const [path, item] of Object.entries<object>(document.paths)) {
      const answer = await fetch(stage.url + path.replace("{id}", example), { method: "PUT", headers: auth });
      const allowed = Object.keys(item).map((method) => method.toUpperCase());
      expect(answer.headers.get("allow")?.split(", ").toSorted()).toEqual(allowed.toSorted());
      expect({ path, status: answer.status, body: await jsonOf(answer) }).toMatchObject({
        path,
        status: 405,
        body: { error: { code: "METHOD_NOT_ALLOWED" } },
      });
    }
  });

  it("lists every code of the public error table", () => {
    expect(document.components.schemas.ErrorCode.enum).toEqual(Object.keys(errorTable));
  });

  it("matches real answers", async () => {
    const convert = (on: Stage, form = formOf("webp", png), headers = {}) =>
      fetch(`${on.url}/api/v1/convert`, { method: "POST", headers: { ...auth, ...headers }, body: form });
    const calls: [path: string, method: string, answer: Promise<Response>, status: number][] = [
      ["/api/v1/convert", "post", convert(stage), 200],
      ["/api/v1/convert", "post", convert(waiting), 202],
      ["/api/v1/convert", "post", convert(stage, formOf(undefined, png)), 400],
      ["/api/v1/convert", "post", convert(stage, formOf("nothing", png)), 422],
      ["/api/v1/convert", "post", convert(stage, formOf("nothing", png), { accept: "application/problem+json" }), 422],
      ["/api/v1/jobs", "get", fetch(`${waiting.url}/api/v1/jobs`, { headers: auth }), 200],
      ["/api/v1/jobs", "get", fetch(`${stage.url}/api/v1/jobs`), 401],
      ["/api/v1/jobs/{id}", "get", fetch(`${stage.url}/api/v1/jobs/x`, { headers: auth }), 404],
      ["/api/v1/formats", "get", fetch(`${stage.url}/api/v1/formats`), 200],
      ["/api/v1/routes/{from}/{to}", "get", fetch(`${stage.url}/api/v1/routes/png/webp`, { headers: auth }), 200],
      ["/api/v1/routes/{from}/{to}", "get", fetch(`${stage.url}/api/v1/routes/png/xlsx`, { headers: auth }), 422],
      ["/readyz", "get", fetch(`${stage.url}/readyz`), 200],
      ["/healthz", "get", fetch(`${stage.url}/healthz`), 200],
    ];
    for (const [path, method, pending, status] of calls) {
      const answer = await pending;
      expect({ path, method, status: answer.status }).toEqual({ path, method, status });
      const mediaType = answer.headers.get("content-type") ?? "";
      const pointer = ["paths", path, method, "responses", String(status), "content", mediaType, "schema"];
      const schema = pointer.reduce((node, step) => node?.[step], document);
      expect(schema, pointer.join(" ")).toBeDefined();
      const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"filemill#/components'));
      const check = ajv.compile(local);
      const body = await jsonOf(answer);
      check(body);
      expect({ path, status, errors: check.errors }).toEqual({ path, status, errors: null });
    }
  });
});
