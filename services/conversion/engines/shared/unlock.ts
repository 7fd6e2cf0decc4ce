/** Opens protected files with their password: writes the same file without it, so that every engine can read it. */
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import type { Sandbox, SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import type { UnlockTask } from "#services/conversion/domain/unlock.ts";
import { inputInside, openToolSession, type ToolCommand } from "./tool-run.ts";

const script = join(import.meta.dirname, "unlock-document.py");
const scriptInside = "/engine/unlock-document.py";
const result = "/job/out";

type Tool = { readonly command: Omit<ToolCommand, "env">; isWrong(end: SandboxEnd): boolean };

const qpdf = `/usr/bin/qpdf --password-file=- --decrypt ${inputInside} ${result}`;

/**
 * The password goes through the environment and a pipe, because everyone on
 * the host can read a command line. qpdf exits with 3 when it warns of damage.
 */
const pdf: Tool = {
  command: { program: "/bin/sh", args: ["-c", `printf '%s\\n' "$PASSWORD" | ${qpdf}; code=$?; [ $code = 3 ] || exit $code`] },
  isWrong: ({ stderr }) => stderr.includes("invalid password"),
};
const scripted = (kind: "office" | "opendocument" | "zip"): Tool => ({
  command: { program: "/usr/bin/python3", args: ["-I", scriptInside, kind, inputInside, result], readOnly: { [script]: scriptInside } },
  isWrong: ({ exitCode }) => exitCode === 3,
});

const tools: readonly (readonly [formats: string, tool: Tool])[] = [
  ["pdf pdfa", pdf],
  ["zip cbz", scripted("zip")],
  ["docx docm dotx xlsx xlsm xltx xlsb pptx pptm ppsx ppsm potx potm doc dot xls xlt ppt pps pot", scripted("office")],
  ["odt ott ods ots odp otp odg otg odf", scripted("opendocument")],
];
const toolOf: ReadonlyMap<string, Tool> = new Map(tools.flatMap(([formats, tool]) => formats.split(" ").map((format) => [format, tool])));

/**
 * Writes the input to `outputPath` unchanged but without its password.
 *
 * @throws FilemillError PASSWORD_REQUIRED if the password is wrong or the protection is unsupported, and whatever a tool run throws.
 */
export async function unlockFile(sandbox: Sandbox, task: UnlockTask): Promise<void> {
  const tool = toolOf.get(task.input.format);
  if (tool === undefined) throw cannotOpen();
  await using session = await openToolSession(sandbox, task);
  const end = await session.run({ ...tool.command, env: { PASSWORD: task.password } });
  if (end.exitCode !== 0) throw tool.isWrong(end) ? wrongPassword() : cannotOpen();
  await session.adopt("out");
}

function wrongPassword(): FilemillError {
  return new FilemillError("PASSWORD_REQUIRED", "The password is wrong; check it and try again.");
}

function cannotOpen(): FilemillError {
  return new FilemillError("PASSWORD_REQUIRED", "This kind of protection is not supported; remove the password and try again.");
}
