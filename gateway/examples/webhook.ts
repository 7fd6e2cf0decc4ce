/**
 * Receives webhooks: `npm install standardwebhooks`, then `node webhook.ts`. Set WEBHOOK_SECRET (`whsec_…`) and PORT.
 * A message without a 2xx answer within 15 seconds is sent again. A message can arrive twice, with the same `webhook-id`.
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
  // Uses the received bytes: the signature does not match a re-serialised body.
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
