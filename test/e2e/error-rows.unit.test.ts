/** Every row of the error table has an end-to-end test. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { accessErrors, type Endpoint, generalErrors } from "#gateway/exchange/endpoint.ts";
import { endpoints } from "#gateway/routes/endpoints.ts";

const declared = Object.values<Endpoint>(endpoints).flatMap(({ errors }) => errors);
const tests = readdirSync("test/e2e")
  .filter((name) => /^(error-.*|webhooks)\.e2e\.test\.ts$/.test(name))
  .map((name) => readFileSync(`test/e2e/${name}`, "utf8"))
  .join("\n");

it.each([...new Set([...accessErrors, ...generalErrors, ...declared])])("%s is covered by a test in test/e2e/", (code) => {
  expect(tests).toContain(`"${code}"`);
});
