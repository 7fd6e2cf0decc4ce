import { describe, expect, test } from "vitest";
import { isPassing, knownPackages, statusOf } from "#gateway/setup/apt.mjs";

test("reads the installable packages from apt-cache policy", () => {
  const policy = [
    "nats-server:",
    "  Installed: (none)",
    "  Candidate: 2.9.10-1+b3",
    "  Version table:",
    "     2.9.10-1+b3 500",
    "        500 http://mirror.example.org/debian bookworm/main amd64 Packages",
    "fonts-liberation2:",
    "  Installed: (none)",
    "  Candidate: (none)",
    "  Version table:",
    "pandoc:",
    "  Installed: 2.17.1.1-2~deb12u1",
    "  Candidate: 2.17.1.1-2~deb12u1",
    "  Version table:",
    "",
  ].join("\n");
  expect([...knownPackages(policy)]).toEqual(["nats-server", "pandoc"]);
  expect(knownPackages("").size).toBe(0);
});

test("parses apt's status lines as progress and ignores others", () => {
  expect(statusOf("dlstatus:3:41.4997:Retrieving file 3 of 9 (2s remaining)")).toBe("download 41 % Retrieving file 3 of 9 (2s remaining)");
  expect(statusOf("pmstatus:libreoffice-core:62.5:Unpacking libreoffice-core (amd64)")).toBe(
    "install 63 % Unpacking libreoffice-core (amd64)",
  );
  expect(statusOf("Setting up pandoc (2.17.1.1-2) ...")).toBeUndefined();
  expect(statusOf("")).toBeUndefined();
});

describe("a failed apt run", () => {
  test.each([
    "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4242 (apt-get)",
    "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?",
    "E: Failed to fetch http://mirror.example.org/x.deb  Temporary failure resolving 'mirror.example.org'",
    "E: Failed to fetch http://mirror.example.org/InRelease  Hash Sum mismatch",
  ])("is retried after: %s", (output) => {
    expect(isPassing(output)).toBe(true);
  });

  test.each(["E: Unable to locate package nope", "E: You don't have enough free space in /var/cache/apt/archives/."])(
    "is not retried after: %s",
    (output) => {
      expect(isPassing(output)).toBe(false);
    },
  );
});
