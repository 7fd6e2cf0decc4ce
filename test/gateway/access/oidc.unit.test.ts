import { expect, test } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { createOidc, type OidcSettings } from "#gateway/access/oidc.ts";
import { SettingError } from "#kit/config.ts";

const settings: OidcSettings = {
  OIDC_ISSUER: "https://id.example.org",
  OIDC_CLIENT_ID: "filemill",
  OIDC_CLIENT_SECRET: undefined,
  OIDC_LABEL: "Acme",
  OIDC_PLAN: "free",
  OIDC_ALLOWED_DOMAINS: undefined,
};

test("without an issuer there is no provider", () => {
  expect(createOidc({ ...settings, OIDC_ISSUER: undefined })).toBeUndefined();
});

test.each([
  [{ OIDC_CLIENT_ID: undefined }, "OIDC_CLIENT_ID"],
  [{ OIDC_ISSUER: "http://id.example.org" }, "OIDC_ISSUER"],
  [{ OIDC_ISSUER: "http://127.0.0.1.example.org" }, "OIDC_ISSUER"],
  [{ OIDC_ISSUER: "http://localhost.example.org" }, "OIDC_ISSUER"],
])("%j fails startup with an error that names the setting", (change, name) => {
  expect(() => createOidc({ ...settings, ...change })).toThrow(SettingError);
  expect(() => createOidc({ ...settings, ...change })).toThrow(name);
});

test("discovery is retried on the next sign-in if the provider did not answer", async () => {
  // Nothing listens on the discard port.
  const oidc = createOidc({ ...settings, OIDC_ISSUER: "http://127.0.0.1:9" });
  for (let round = 0; round < 2; round++) {
    const failure = await oidc?.begin("http://127.0.0.1/auth/oidc/callback").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FilemillError);
    expect(failure).toMatchObject({ code: "UNAVAILABLE" });
  }
});
