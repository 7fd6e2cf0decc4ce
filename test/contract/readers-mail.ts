/** Mail files as Python's standard library reads them. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export type MailReading = {
  readonly subject: string;
  readonly from: string;
  readonly to: string;
  /** Of the first text part. */
  readonly text: string;
  /** Name and SHA-256 of each attachment. */
  readonly attachments: readonly (readonly [name: string, digest: string])[];
};

const script = `
import sys, json, email, mailbox, hashlib
from email import policy
def read(message):
    body = message.get_body(preferencelist=("plain", "html"))
    files = [(part.get_filename(), hashlib.sha256(part.get_payload(decode=True) or b"").hexdigest()) for part in message.walk() if part.get_filename()]
    return dict(subject=str(message["subject"] or ""), **{"from": str(message["from"] or "")}, to=str(message["to"] or ""), text=body.get_content() if body else "", attachments=files)
path, form = sys.argv[1:]
if form == "eml":
    found = [email.message_from_binary_file(open(path, "rb"), policy=policy.default)]
else:
    found = [email.message_from_bytes(each.as_bytes(), policy=policy.default) for each in mailbox.mbox(path)]
json.dump([read(message) for message in found], sys.stdout)
`;

/** The messages of an `eml` or `mbox` file. Rejects if Python cannot read it. */
export async function mailsOf(path: string, format: "eml" | "mbox"): Promise<readonly MailReading[]> {
  const { stdout } = await run("/usr/bin/python3", ["-I", "-c", script, path, format], { maxBuffer: 16 * 2 ** 20 });
  return JSON.parse(stdout);
}
