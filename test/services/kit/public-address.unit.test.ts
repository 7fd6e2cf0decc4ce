import ipaddr from "ipaddr.js";
import { expect, test } from "vitest";
import { isPublicAddress } from "#kit/public-address.ts";
import { parseReceiverUrl } from "#services/webhook/domain/receiver-url.ts";
import { specialNetworks } from "./special-addresses.ts";

const strict = { allowPrivate: false, ports: [] };

test.each([
  ...["93.184.216.34", "8.8.8.8", "1.0.0.1", "100.63.255.255", "172.32.0.1", "192.0.1.1", "223.255.255.255"],
  ...["2606:2800:220:1:248:1893:25c8:1946", "2001:4860:4860::8888", "2001:200::1", "2003::1", "3ffe::1", "2a00::1"],
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

/** First and last address of a network, and some in between. */
function samplesOf(network: string): string[] {
  const [base, bits] = ipaddr.parseCIDR(network);
  const bytes = base.toByteArray();
  const filled = (fill: number): string =>
    ipaddr.fromByteArray(bytes.map((byte, at) => byte | (fill & (0xff >> Math.min(8, Math.max(0, bits - 8 * at)))))).toString();
  return [...new Set([0x00, 0x01, 0x55, 0xaa, 0xfe, 0xff].map(filled))];
}

test.each(specialNetworks)("%s is not public: %s", (network) => {
  for (const address of samplesOf(network)) expect([address, isPublicAddress(address)]).toEqual([address, false]);
});

test.each([
  "::ffff:8.8.8.8",
  "::8.8.8.8",
  "64:ff9b::808:808",
  "2002:808:808::",
  "fe80::1%eth0",
  "127.1",
  "0x7f.1",
  "010.8.8.8",
  "2130706433",
  "not an address",
  "",
])("%s, which wraps or hides another address, is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test("a receiver URL is kept as it is, without its fragment", () => {
  expect(parseReceiverUrl("https://example.org/hook?a=1#part", strict, "webhook")).toBe("https://example.org/hook?a=1");
  expect(parseReceiverUrl("https://example.org:443/", strict, "webhook")).toBe("https://example.org/");
  expect(parseReceiverUrl("http://127.0.0.1/", { allowPrivate: true, ports: [] }, "webhook")).toBe("http://127.0.0.1/");
  const open = { allowPrivate: true, ports: [{ first: 9000, last: 9001 }] };
  expect(parseReceiverUrl("http://127.0.0.1:9001/", open, "webhook")).toBe("http://127.0.0.1:9001/");
});

test.each([
  "",
  "example.org/hook",
  "ftp://example.org/",
  "javascript:alert(1)",
  "http://example.org/",
  "https://user:secret@example.org/",
  "https://127.0.0.1/",
  "https://127.0.0.1./",
  "https://127.1/",
  "https://2130706433/",
  "https://0x7f.1/",
  "https://0177.0.0.1/",
  "https://[::1]/",
  "https://[::7f00:1]/",
  "https://[::ffff:10.0.0.1]/",
  "https://[64:ff9b::a9fe:a9fe]/",
  "https://example.org:80/",
  "https://example.org:8443/",
  "https://93.184.216.34:22/",
  `https://example.org/${"a".repeat(2000)}`,
])("rejects the receiver URL %s", (url) => {
  expect(() => parseReceiverUrl(url, strict, "webhook")).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
});

test("a signed URL may be long", () => {
  const signed = `https://example.org/${"a".repeat(3000)}`;
  expect(parseReceiverUrl(signed, strict, "delivery")).toBe(signed);
  expect(() => parseReceiverUrl(`${signed}${"a".repeat(6000)}`, strict, "delivery")).toThrow(/^deliverTo must be/);
});

test("a port is allowed only if the operator lists it", () => {
  const rules = { allowPrivate: true, ports: [{ first: 8443, last: 8443 }] };
  expect(parseReceiverUrl("https://example.org:8443/", rules, "webhook")).toBe("https://example.org:8443/");
  for (const url of ["https://example.org:8442/", "http://example.org:443/", "https://example.org:80/"])
    expect(() => parseReceiverUrl(url, rules, "webhook")).toThrow("port");
});
