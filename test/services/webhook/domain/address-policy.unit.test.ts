import { expect, test } from "vitest";
import { isPublicAddress } from "#services/webhook/domain/address-policy.ts";
import { parseReceiverUrl } from "#services/webhook/domain/receiver-url.ts";

test.each(["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946"])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  "127.0.0.1",
  "127.1.2.3",
  "0.0.0.0",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "fe80::1",
  "fc00::1",
  "fd12:3456::1",
  "ff02::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "2001:0:7f00:1::",
  "not an address",
  "",
])("%s is not", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test("a receiver's address is kept as it is, without its fragment", () => {
  expect(parseReceiverUrl("https://example.org/hook?a=1#part", false)).toBe("https://example.org/hook?a=1");
  expect(parseReceiverUrl("http://127.0.0.1:9000/", true)).toBe("http://127.0.0.1:9000/");
});

test.each([
  "",
  "example.org/hook",
  "ftp://example.org/",
  "javascript:alert(1)",
  "http://example.org/",
  "https://user:secret@example.org/",
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f.1/",
  "https://[::1]/",
  "https://[::ffff:10.0.0.1]/",
  `https://example.org/${"a".repeat(2000)}`,
])("an address that is not to be called is refused: %s", (url) => {
  expect(() => parseReceiverUrl(url, false)).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
});
