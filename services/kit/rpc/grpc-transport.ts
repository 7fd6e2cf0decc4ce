/** gRPC calls to another process by @grpc/grpc-js, from the same generated descriptors as everything else (decision 96). */
import { once } from "node:events";
import { isIP } from "node:net";
import { checkServerIdentity, createSecureContext } from "node:tls";
import { type DescMessage, type DescMethod, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import {
  createContextValues,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { runStreamingCall, runUnaryCall } from "@connectrpc/connect/protocol";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { type CallOptions, Client, type ClientDuplexStream, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { abortable } from "../abortable.ts";
import type { RpcTls } from "./tls.ts";

/** Largest message that either side accepts. Bytes are sent in much smaller chunks. */
export const maxMessageBytes = 8 * 1024 * 1024;

/**
 * The first call connects, and later calls reconnect after a lost connection. A call that finds no server rejects with UNAVAILABLE.
 *
 * @param address - A URL (http: cleartext, https: TLS), or `unix:` and the path of a socket.
 */
export function grpcTransport(address: string, tls: RpcTls | undefined, interceptors: Interceptor[]): Transport {
  const channel = openChannel(address, tls);
  return {
    unary: (method, signal, timeoutMs, header, message, contextValues) =>
      runUnaryCall({
        req: { ...headOf(method, header, contextValues), stream: false, method, message },
        ...limitsOf(signal, timeoutMs),
        interceptors,
        next: (request) => ask(channel, request, deadlineOf(timeoutMs)),
      }),
    stream: (method, signal, timeoutMs, header, message, contextValues) =>
      runStreamingCall({
        req: { ...headOf(method, header, contextValues), stream: true, method, message },
        ...limitsOf(signal, timeoutMs),
        interceptors,
        next: (request) => converse(channel, request, deadlineOf(timeoutMs)),
      }),
  };
}

function openChannel(address: string, tls: RpcTls | undefined): Client {
  const { protocol, hostname, port } = new URL(address);
  const options = {
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1000,
    // A peer that starts again elsewhere is looked up at once.
    "grpc.dns_min_time_between_resolutions_ms": 1000,
    // A proxy for the web does not lead to the peers.
    "grpc.enable_http_proxy": 0,
  };
  if (protocol === "unix:") return new Client(address, credentials.createInsecure(), options);
  if (protocol === "http:") return new Client(`${hostname}:${port || 80}`, credentials.createInsecure(), options);
  const ip = hostname.replace(/^\[|\]$/g, "");
  const secured = credentials.createFromSecureContext(createSecureContext(tls), {
    checkServerIdentity: (name, certificate) => checkServerIdentity(isIP(ip) === 0 ? name : ip, certificate),
  });
  // RFC 6066 forbids an IP address as the server's name, but grpc-js would send it.
  const named = isIP(ip) === 0 ? {} : { "grpc.ssl_target_name_override": "localhost" };
  return new Client(`${hostname}:${port || 443}`, secured, { ...options, ...named });
}

function headOf(method: DescMethod, header: ConstructorParameters<typeof Headers>[0], contextValues = createContextValues()) {
  return { service: method.parent, requestMethod: "POST", url: pathOf(method), header: new Headers(header), contextValues };
}

async function ask<I extends DescMessage, O extends DescMessage>(
  channel: Client,
  { method, header, message, signal }: UnaryRequest<I, O>,
  deadline: CallOptions,
): Promise<UnaryResponse<I, O>> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const call = channel.makeUnaryRequest(
      pathOf(method),
      writerOf(method.input),
      readerOf(method.output),
      message,
      metadataOf(header),
      deadline,
      (error, answer) => {
        if (answer === undefined) reject(failureOf(error));
        else resolve({ stream: false, service: method.parent, method, header: new Headers(), trailer: new Headers(), message: answer });
      },
    );
    signal.addEventListener("abort", () => call.cancel(), { once: true });
  });
}

/** Sends and receives concurrently. */
async function converse<I extends DescMessage, O extends DescMessage>(
  channel: Client,
  { method, header, message, signal }: StreamRequest<I, O>,
  deadline: CallOptions,
): Promise<StreamResponse<I, O>> {
  signal.throwIfAborted();
  const call = channel.makeBidiStreamRequest(pathOf(method), writerOf(method.input), readerOf(method.output), metadataOf(header), deadline);
  // A late error, when nobody iterates any more, must not end the process.
  call.on("error", () => undefined);
  signal.addEventListener("abort", () => call.cancel(), { once: true });
  send(call, message, signal).catch((error: unknown) => {
    call.destroy(error instanceof Error ? error : new Error(String(error)));
    call.cancel();
  });
  return { stream: true, service: method.parent, method, header: new Headers(), trailer: new Headers(), message: receive(call) };
}

async function* receive<I, O>(call: ClientDuplexStream<I, O>): AsyncGenerator<O> {
  try {
    yield* call;
  } catch (error) {
    throw failureOf(error);
  }
}

/** If the server ends early, sending stops too. */
async function send<I>(call: ClientDuplexStream<I, unknown>, messages: AsyncIterable<I>, ended: AbortSignal): Promise<void> {
  for await (const message of abortable(messages, ended)) {
    if (!call.write(message)) await once(call, "drain", { signal: ended });
  }
  call.end();
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function writerOf<D extends DescMessage>(desc: D): (message: MessageShape<D>) => Buffer {
  return (message) => {
    const bytes = toBinary(desc, message);
    // Without a copy.
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

function readerOf<D extends DescMessage>(desc: D): (bytes: Buffer) => MessageShape<D> {
  return (bytes) => fromBinary(desc, bytes);
}

function metadataOf(header: Headers): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of header) metadata.set(name, value);
  return metadata;
}

function limitsOf(signal: AbortSignal | undefined, timeoutMs: number | undefined) {
  return { ...(signal === undefined ? {} : { signal }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

function deadlineOf(timeoutMs: number | undefined): CallOptions {
  return timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
}

/**
 * The status as the protocol carries it. Prefers the message inside grpc-status-details-bin: grpc-js decodes grpc-message with
 * decodeURI, which leaves for example "%3A" where the sender wrote a colon.
 */
function failureOf(error: unknown): unknown {
  if (!isServiceError(error)) return error;
  const trailer = new Headers({ "grpc-status": String(error.code), "grpc-message": encodeURIComponent(error.details) });
  const [details] = error.metadata.get("grpc-status-details-bin");
  if (details instanceof Buffer) trailer.set("grpc-status-details-bin", details.toString("base64"));
  return findTrailerError(trailer);
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "metadata" in error && error.metadata instanceof Metadata;
}
