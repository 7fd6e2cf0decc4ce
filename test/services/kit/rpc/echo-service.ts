/** Every kind of call over the real transports, with trivial handlers. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, type ConnectRouter, createClient, type Transport } from "@connectrpc/connect";
import { FilemillError } from "#contract/errors.ts";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";

export type EchoClient = Client<typeof ConversionService>;

/** `entered` counts the calls that hang. */
export type EchoLog = { readonly received: number[]; entered: number; cancelled: number };

/** The file name decides what `inspect` does; the other calls echo. */
export function echoRoutes(log: EchoLog): (router: ConnectRouter) => void {
  return (router) => {
    router.service(ConversionService, {
      async upload(requests) {
        let total = 0;
        for await (const { chunk } of requests) {
          total += chunk.length;
          log.received.push(chunk.length);
          if (total > 3_000_000) throw new FilemillError("INPUT_TOO_LARGE", "The file is too large: 3 MB.", { details: { limitMb: 3 } });
        }
        return { blob: { id: "id", digest: "digest", sizeBytes: BigInt(total) } };
      },
      async *download(request, context) {
        try {
          for (let at = 0n; at < request.lengthBytes; at += 65_536n) {
            yield { chunk: Buffer.alloc(65_536, Number(at / 65_536n)) };
            if (request.jobId === "slow") await sleep(20, undefined, { signal: context.signal });
          }
        } finally {
          if (context.signal.aborted) log.cancelled += 1;
        }
      },
      async *convert(requests) {
        for await (const { part } of requests) if (part.case === "chunk") yield { part: { case: "chunk", value: part.value } };
      },
      async inspect(request, context) {
        switch (request.fileName) {
          case "known":
            throw new FilemillError("TOO_MANY_JOBS", "Too many jobs: 5/5, wait?", { details: { limit: 5 }, retryAfterMs: 1500 });
          case "defect":
            throw new Error("secret: /etc/passwd");
          case "hang":
            log.entered += 1;
            await sleep(60_000, undefined, { signal: context.signal }).catch((error: unknown) => {
              log.cancelled += 1;
              throw error;
            });
            break;
          default:
        }
        return { format: "png", toldBy: request.fileName };
      },
    });
  };
}

export async function* chunksOf(count: number, chunkBytes: number): AsyncGenerator<{ chunk: Uint8Array }> {
  for (let i = 0; i < count; i++) yield { chunk: new Uint8Array(chunkBytes) };
}

export function echoClient(transport: Transport): EchoClient {
  return createClient(ConversionService, transport);
}
