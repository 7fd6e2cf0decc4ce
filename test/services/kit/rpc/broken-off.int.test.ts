/** A peer that dies during a call, like a killed process: the missing answer is not the caller's defect. */
import { constants, createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { createClient } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import { errorTable, fromConnectError } from "#contract/errors.ts";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";

let server: Http2Server;
afterEach(() => void server.close());

/** Returns its address; `die` is called for each incoming call. */
async function peerThat(die: (stream: ServerHttp2Stream, socket: Socket) => void): Promise<string> {
  let newest: Socket | undefined;
  server = createServer();
  server.on("connection", (socket: Socket) => {
    newest = socket;
  });
  server.on("sessionError", () => undefined);
  server.on("stream", (stream) => {
    stream.on("error", () => undefined);
    if (newest !== undefined) die(stream, newest);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

const deaths = [
  ["resets its connection", (_stream: ServerHttp2Stream, socket: Socket) => void socket.resetAndDestroy()],
  ["refuses the call while shutting down", (stream: ServerHttp2Stream) => void stream.close(constants.NGHTTP2_REFUSED_STREAM)],
  ["closes its connection", (_stream: ServerHttp2Stream, socket: Socket) => void socket.destroy()],
  [
    "starts its answer and closes its connection",
    (stream: ServerHttp2Stream, socket: Socket) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc+proto" });
      setTimeout(() => socket.destroy(), 50);
    },
  ],
] as const;

for (const [name, die] of deaths) {
  test(`reports a peer that ${name} during a call as UNAVAILABLE, with a retry hint`, async () => {
    const address = await peerThat(die);
    const client = createClient(ConversionService, remoteTransport(address, ""));
    const error = fromConnectError(await client.inspect({}).catch((thrown: unknown) => thrown));
    expect({ code: error.code, http: errorTable[error.code].http }).toEqual({ code: "UNAVAILABLE", http: 503 });
    expect(error.retryAfterMs).toBeGreaterThan(0);
  });
}
