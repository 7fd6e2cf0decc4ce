import { expect, test } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { createHostCheck, type HostSettings } from "#gateway/http/host-names.ts";

const loopback: HostSettings = { HOST: "127.0.0.1", PUBLIC_URL: undefined, ALLOWED_HOSTS: undefined };

function outcome(settings: Partial<HostSettings>, ...hosts: string[]): string {
  try {
    createHostCheck({ ...loopback, ...settings })(hosts);
    return "taken";
  } catch (error) {
    return error instanceof FilemillError ? error.code : String(error);
  }
}

test.each([
  ...["localhost", "localhost:8080", "LOCALHOST", "localhost.", "127.0.0.1:8080", "127.255.0.9", "127.1", "0x7f.1"],
  ...["[::1]", "[::1]:8080", "[0:0:0:0:0:0:0:1]"],
])("accepts Host: %s on loopback", (host) => {
  expect(outcome({}, host)).toBe("taken");
});

test.each([
  ...["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1.nip.io", "128.0.0.1"],
  ...["10.0.0.1", "0.0.0.0", "[::]", "[::2]", "[::ffff:127.0.0.1]", "my_host", "localhost:1@evil.example", "", "a/b"],
])("rejects Host: %s on loopback", (host) => {
  for (const HOST of ["127.0.0.1", "127.0.0.9", "::1", "localhost"]) expect(outcome({ HOST }, host)).toBe("BAD_REQUEST");
});

test("rejects two Host headers", () => {
  expect(outcome({}, "localhost", "localhost")).toBe("BAD_REQUEST");
  expect(outcome({}, "localhost", "evil.example")).toBe("BAD_REQUEST");
});

test("accepts the hosts of PUBLIC_URL and ALLOWED_HOSTS on any port", () => {
  const settings = { PUBLIC_URL: "https://Files.example.org/mill", ALLOWED_HOSTS: "inner.example.org,10.0.0.5,[fd00::5],other:99" };
  for (const host of [
    "files.example.org",
    "FILES.example.org:443",
    "inner.example.org:1",
    "10.0.0.5",
    "[FD00::5]:8080",
    "other",
    "localhost",
  ])
    expect(outcome(settings, host)).toBe("taken");
  for (const host of ["example.org", "x.files.example.org", "10.0.0.6"]) expect(outcome(settings, host)).toBe("BAD_REQUEST");
});

test("accepts any host on a public interface unless ALLOWED_HOSTS is set", () => {
  for (const HOST of ["0.0.0.0", "::", "192.168.0.7"]) {
    expect(outcome({ HOST }, "anything.example")).toBe("taken");
    expect(outcome({ HOST, ALLOWED_HOSTS: "mill.lan" }, "anything.example")).toBe("BAD_REQUEST");
    expect(outcome({ HOST, ALLOWED_HOSTS: "mill.lan" }, "mill.lan:8080")).toBe("taken");
  }
});

test("accepts HTTP/1.0 without a Host header", () => {
  expect(() => createHostCheck(loopback)(undefined)).not.toThrow();
});
