/** Converts one file over REST and waits for the result: `node rest.ts IN TO OUT`. Set FILEMILL_SERVER and FILEMILL_API_KEY. */
import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import process from "node:process";

type Job = {
  readonly status: string;
  readonly download: string | null;
  readonly status_url: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
};

const { FILEMILL_SERVER = "http://127.0.0.1:8080", FILEMILL_API_KEY = "" } = process.env;
const [input = "", to = "", output = ""] = process.argv.slice(2);

async function call(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${FILEMILL_API_KEY}` };
  const answer = await fetch(url, { ...init, headers });
  if (answer.ok) return answer;
  throw new Error(`${answer.status}: ${await answer.text()}`);
}

const form = new FormData();
form.set("to", to);
form.set("file", await openAsBlob(input), basename(input));
let answer = await call(`${FILEMILL_SERVER}/api/v1/convert`, { method: "POST", body: form });
let { job } = (await answer.json()) as { job: Job };
while (job.status_url !== null) {
  // The server holds the answer until the job ends, for up to 30 seconds.
  answer = await call(job.status_url, { headers: { prefer: "wait=30" } });
  ({ job } = (await answer.json()) as { job: Job });
}
if (job.download === null) throw new Error(job.error?.message ?? job.status);
await writeFile(output, Buffer.from(await (await call(job.download)).arrayBuffer()));
