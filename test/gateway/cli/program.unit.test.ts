import { expect, test } from "vitest";
import { filemill } from "./command-line.ts";

test("help is told on standard output for every command", async () => {
  const { code, out } = await filemill(["--help"]);
  expect(code).toBe(0);
  for (const command of ["convert", "doctor", "formats", "accounts", "keys"]) {
    expect(out).toContain(`\n  ${command}`);
    expect((await filemill([command, "--help"])).out).toMatch(new RegExp(`^Usage: filemill ${command}`));
  }
});

test.each([
  [[]],
  [["nothing"]],
  [["keys"]],
  [["keys", "create"]],
  [["accounts", "create", "a@example.org"]],
  [["convert", "in.png"]],
  [["convert", "in.png", "out.webp", "extra"]],
  [["convert", "in.png", "out.webp", "--opt", "quality"]],
  [["convert", "in.png", "out.webp", "--opt", "=80"]],
  [["formats", "--nope"]],
])("wrong usage ends with 2 and says why on standard error: %j", async (args) => {
  const said = await filemill(args);
  expect(said).toMatchObject({ code: 2, out: "" });
  expect(said.err).not.toBe("");
});
