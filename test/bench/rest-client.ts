import { Agent, type IncomingMessage, request } from "node:http";
import type { Readable } from "node:stream";

export type Upload = {
  readonly to: string;
  readonly name: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
};
export type Answer = { readonly status: number; readonly body: Buffer };

const agent = new Agent({ keepAlive: true });
const boundary = "----filemill-bench";

/** POST /api/v1/convert over a kept-alive connection, with as little client code as possible. */
export async function convert(
  server: { url: string; key: string },
  upload: Upload,
  file: Buffer | { stream: Readable; sizeBytes: number },
): Promise<Answer> {
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="to"\r\n\r\n${upload.to}\r\n--${boundary}\r\n` +
      `Content-Disposition: form-data; name="file"; filename="${upload.name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const sizeBytes = Buffer.isBuffer(file) ? file.length : file.sizeBytes;
  const address = `${server.url}/api/v1/convert${upload.query ?? ""}`;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(
      address,
      {
        method: "POST",
        agent,
        headers: {
          authorization: `Bearer ${server.key}`,
          "content-type": `multipart/form-data; boundary=${boundary}`,
          "content-length": head.length + sizeBytes + tail.length,
          ...upload.headers,
        },
      },
      resolve,
    );
    outgoing.once("error", reject);
    if (Buffer.isBuffer(file)) return void outgoing.end(Buffer.concat([head, file, tail]));
    outgoing.write(head);
    file.stream.once("error", reject);
    file.stream.once("end", () => outgoing.end(tail));
    file.stream.pipe(outgoing, { end: false });
  });
  return await ended(answer, address, server.key);
}

/** Follows a queued job's addresses until it has ended. */
async function ended(answer: IncomingMessage, address: string, key: string): Promise<Answer> {
  // `buffer` of node:stream/consumers goes through a Blob, which takes seconds for a large file.
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { location } = answer.headers;
  if (location === undefined || (answer.statusCode ?? 0) < 300) return { status: answer.statusCode ?? 0, body };
  // Relative to the requested address.
  const nextAddress = new URL(location, address).href;
  const next = await new Promise<IncomingMessage>((resolve, reject) => {
    request(nextAddress, { agent, headers: { authorization: `Bearer ${key}` } }, resolve)
      .once("error", reject)
      .end();
  });
  return await ended(next, nextAddress, key);
}
