/** Classes W1 to W4: cross-site requests, planted cookies, receiver addresses and repeated parameters. */
import { randomBytes } from "node:crypto";
import { mounts } from "#gateway/routes/mounts.ts";
import { openBrowserClient } from "#test/harness/browser-client.ts";
import type { TestServer } from "#test/harness/server.ts";
import type { DoorAttack, Told } from "./door-attacks.ts";

/** Every page endpoint that changes something. */
const writes = mounts
  .filter(({ door, endpoint }) => door === "page" && endpoint.method !== "GET")
  .map(({ endpoint }) => ({ method: endpoint.method, path: endpoint.path.replaceAll(/\{\w+\}/g, "x") }));

const disguises: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  site: { origin: "https://evil.example", "sec-fetch-site": "cross-site", "content-type": "application/x-www-form-urlencoded" },
  neighbour: { "sec-fetch-site": "same-site" },
  form: { "x-filemill": "", "content-type": "multipart/form-data; boundary=a" },
  hidden: { origin: "null", "content-type": "text/plain" },
};

const password = "correct horse battery";
const newEmail = (): string => `w${randomBytes(8).toString("hex")}@example.org`;

async function signedIn(server: TestServer, cookie?: string) {
  const browser = openBrowserClient(server.url);
  if (cookie !== undefined) browser.cookies.set("filemill_session", cookie);
  const { status } = await browser.ask("POST", "/web/v1/sign-up", { email: newEmail(), password });
  if (status !== 201) throw new Error(`sign-up gave ${status}`);
  return browser;
}

type Asked = {
  readonly status: number;
  readonly headers: Headers;
  readonly json: { readonly error?: { readonly code: string } } | undefined;
};
const toldOf = ({ status, headers, json }: Asked): Told => ({ status, headers, code: json?.error?.code });

/** As the victim's browser would send it: with the cookie. */
async function fromElsewhere(server: TestServer): Promise<readonly Told[]> {
  const browser = await signedIn(server);
  const told: Told[] = [];
  for (const { method, path } of writes) {
    for (const headers of Object.values(disguises)) told.push(toldOf(await browser.ask(method, path, undefined, headers)));
  }
  // Nobody was signed out, and no account is gone.
  const { json } = await browser.ask("GET", "/web/v1/me");
  if (json.account === null) throw new Error("a request from elsewhere was obeyed");
  return told;
}

/** A session known to the attacker, planted before the victim signs in. */
async function planted(server: TestServer): Promise<readonly Told[]> {
  const known = randomBytes(32).toString("base64url");
  const victim = await signedIn(server, known);
  if (victim.cookies.get("filemill_session") === known) throw new Error("the planted session was taken over");
  const told: Told[] = [];
  for (const cookie of [known, "x", "a".repeat(5000), "..%2f", "__proto__"]) {
    const attacker = openBrowserClient(server.url);
    attacker.cookies.set("filemill_session", cookie);
    told.push(toldOf(await attacker.ask("GET", "/web/v1/keys")));
    attacker.cookies.set("filemill_session", cookie);
    told.push(toldOf(await attacker.ask("POST", "/web/v1/keys", { name: "a" })));
  }
  return told;
}

const receivers = [
  ..."http://example.org/|ftp://example.org/|file:///etc/passwd|gopher://example.org/|javascript:alert(1)|//example.org/|https://".split(
    "|",
  ),
  ...["127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "0", "10.0.0.1", "169.254.169.254", "100.64.0.1"],
  ...[
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::7f00:1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[fec0::1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fd00::1]",
    "１２７.0.0.1",
    "127。0。0。1",
    "93.184.216.34:25",
  ],
].map((address) =>
  address.includes(":/") || address.includes("//") || address.startsWith("javascript") ? address : `https://${address}/`,
);

async function towardsThisNetwork(server: TestServer): Promise<readonly Told[]> {
  const headers = { authorization: `Bearer ${server.key}`, "content-type": "application/json" };
  const told: Told[] = [];
  for (const url of [...receivers, "https://user:secret@example.org/", `https://example.org/${"a".repeat(2000)}`]) {
    const body = JSON.stringify({ url });
    const answer = await fetch(`${server.url}/api/v1/webhooks`, { method: "POST", headers, body });
    const json = JSON.parse(await answer.text());
    told.push(toldOf({ status: answer.status, headers: answer.headers, json }));
  }
  return told;
}

/** The source is never fetched: the address is checked first. */
async function resultsTowardsThisNetwork(server: TestServer): Promise<readonly Told[]> {
  const headers = { authorization: `Bearer ${server.key}`, "content-type": "application/json" };
  const told: Told[] = [];
  for (const deliverTo of [...receivers, "https://user:secret@example.org/"]) {
    const body = JSON.stringify({ url: "https://example.org/a.png", to: "webp", deliverTo });
    const answer = await fetch(`${server.url}/api/v1/convert-url`, { method: "POST", headers, body });
    const json = JSON.parse(await answer.text());
    if (json.error?.details?.field !== "deliverTo") throw new Error(`${deliverTo} was let through`);
    told.push(toldOf({ status: answer.status, headers: answer.headers, json }));
  }
  return told;
}

/** Each differs from the right key in a character, case, length or encoding. */
async function nearKeys(server: TestServer): Promise<readonly Told[]> {
  const { key } = server;
  const other = (at: number): string => `${key.slice(0, at)}${key[at] === "a" ? "b" : "a"}${key.slice(at + 1)}`;
  const guesses = [
    other(key.length - 1),
    other(4),
    key.slice(0, -1),
    `${key}a`,
    key.toUpperCase(),
    encodeURIComponent(`${key} `),
    "fm_",
    "*",
  ];
  const told: Told[] = [];
  for (const guess of guesses) {
    const answer = await fetch(`${server.url}/api/v1/jobs`, { headers: { authorization: `Bearer ${guess}` } });
    told.push(toldOf({ status: answer.status, headers: answer.headers, json: JSON.parse(await answer.text()) }));
  }
  return told;
}

async function longHeaders(server: TestServer): Promise<readonly Told[]> {
  const long = "x".repeat(40_000);
  const told: Told[] = [];
  const tries: readonly [string, Record<string, string>][] = [
    ["/api/v1/jobs", { "x-a": long }],
    ["/api/v1/jobs", { cookie: long }],
    ["/api/v1/jobs", { authorization: `Bearer ${long}` }],
    [`/api/v1/jobs?${long}`, {}],
    ["/", Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x-${index}`, "1"]))],
  ];
  for (const [path, headers] of tries) {
    const answer = await fetch(server.url + path, { headers });
    told.push(toldOf({ status: answer.status, headers: answer.headers, json: JSON.parse(await answer.text()) }));
  }
  return told;
}

export const pageDoorAttacks: readonly DoorAttack[] = [
  {
    id: "W1-site",
    what: "every change that pages can make, from another site, a neighbour, a form and a page without origin",
    outcome: "CROSS_SITE_REQUEST",
    send: fromElsewhere,
  },
  {
    id: "W2-planted",
    what: "a session that was planted before the sign-in, and cookies that are none",
    outcome: "SIGN_IN_REQUIRED",
    send: planted,
  },
  {
    id: "W3-receivers",
    what: `${receivers.length + 2} webhooks towards this host, its network or another protocol`,
    outcome: "BAD_REQUEST",
    send: towardsThisNetwork,
  },
  {
    id: "W3-results",
    what: `${receivers.length + 1} results to be put towards this host, its network or another protocol; where an address redirects there is in \`test/e2e/deliveries.e2e.test.ts\``,
    outcome: "BAD_REQUEST",
    send: resultsTowardsThisNetwork,
  },
  { id: "W4-keys", what: "keys that are almost right", outcome: "INVALID_API_KEY", send: nearKeys },
  {
    id: "H3-long",
    what: "headers, cookies, keys and addresses of 40 kB, and five thousand headers",
    outcome: "BAD_REQUEST",
    send: longHeaders,
  },
];
