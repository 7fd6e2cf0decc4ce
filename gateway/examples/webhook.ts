/**
 * Receives webhooks: `npm install standardwebhooks`, then `node webhook.ts` with WEBHOOK_SECRET (`whsec_…`) and PORT set.
 * What is not answered 2xx within 15 seconds is sent again; a message may come twice, with the same `webhook-id`.
 */
import { createServer, type IncomingMessage } from "node:http";
import process from "node:process";
import { Webhook } from "standardwebhooks";

type Event = { type: "job.done" | "job.failed"; data: { job: { id: string; download: string | null } } };

const { WEBHOOK_SECRET = "", PORT = "3000" } = process.env;
const verifier = new Webhook(WEBHOOK_SECRET);

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  // The bytes as they came: parsed and written anew they would no longer fit the signature.
  return Buffer.concat(chunks).toString("utf8");
}

createServer(async (request, response) => {
  try {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const { type, data } = verifier.verify(await bodyOf(request), headers) as Event;
    response.writeHead(204).end();
    process.stdout.write(`${type} ${data.job.id} ${data.job.download ?? ""}\n`);
  } catch {
    response.writeHead(400).end();
  }
}).listen(Number(PORT));
