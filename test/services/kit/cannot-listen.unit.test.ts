import { expect, it } from "vitest";
import { cannotListen } from "#kit/cannot-listen.ts";

it.each([
  ["EADDRINUSE", "another program uses it. Stop that program or choose another port."],
  ["ENOTFOUND", "this machine has no such address."],
  ["EACCES", "this user may not. Choose a port from 1024 on."],
  ["EMFILE", "the system refuses it (EMFILE)."],
])("says why a server cannot listen: %s", (code, reason) => {
  const cause = Object.assign(new Error(code), { code });
  expect(cannotListen("PORT", { host: "HOST nowhere", port: 80 }, cause).message).toBe(
    `Cannot listen on PORT 80 of HOST nowhere: ${reason}`,
  );
});
