/**
 * A client on @grpc/grpc-js, built from the same generated descriptors as everything else. A call costs half as much as with the fetch-like
 * client.
 */
import { once } from "node:events";
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  isMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type Client as ConnectClient, createClient, type Transport } from "@connectrpc/connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { type CallOptions, Client, type ClientDuplexStream, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { FilemillError, fromConnectError } from "#contract/errors.ts";
import { abortable } from "../abortable.ts";
import { maxMessageBytes } from "./transport.ts";

export type GrpcClient<S extends DescService> = Disposable & {
  /** Rejects with FilemillError, or with the reason of the caller's signal if it fired. */
  readonly calls: ConnectClient<S>;
};

/**
 * Opens a channel to `address` (http: cleartext, https: TLS, unix: cleartext on a socket). The first call connects, and later calls
 * reconnect after a lost connection. A call that finds no server rejects with UNAVAILABLE.
 */
export function openGrpcClient<S extends DescService>(
  service: S,
  address: string,
  options: { readonly token?: string } = {},
): GrpcClient<S> {
  const { host, protocol } = new URL(address);
  const channel = new Client(
    protocol === "unix:" ? address : host,
    protocol === "https:" ? credentials.createSsl() : credentials.createInsecure(),
    {
      "grpc.max_receive_message_length": maxMessageBytes,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 1000,
    },
  );
  return { calls: createClient(service, transportOver(channel, options.token)), [Symbol.dispose]: () => channel.close() };
}

function transportOver(channel: Client, token: string | undefined): Transport {
  return {
    unary(method, signal, timeoutMs, header, input) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason);
        const cancel = (): void => call.cancel();
        const call = channel.makeUnaryRequest(
          pathOf(method),
          writerOf(method.input),
          readerOf(method.output),
          input,
          metadataOf(header, token),
          deadlineOf(timeoutMs),
          (error, message) => {
            signal?.removeEventListener("abort", cancel);
            if (error !== null) return reject(failureOf(error, signal));
            if (message === undefined) return reject(new FilemillError("INTERNAL", "The service did not answer."));
            resolve({ stream: false, service: method.parent, method, header: new Headers(), trailer: new Headers(), message });
          },
        );
        signal?.addEventListener("abort", cancel, { once: true });
      });
    },
    async stream(method, signal, timeoutMs, header, input) {
      signal?.throwIfAborted();
      const call = channel.makeBidiStreamRequest(
        pathOf(method),
        writerOf(method.input),
        readerOf(method.output),
        metadataOf(header, token),
        deadlineOf(timeoutMs),
      );
      return {
        stream: true,
        service: method.parent,
        method,
        header: new Headers(),
        trailer: new Headers(),
        message: converse(call, input, signal),
      };
    },
  };
}

/** Sends and receives concurrently. If the server ends early, sending stops too. */
async function* converse<I, O>(
  call: ClientDuplexStream<I, O>,
  input: AsyncIterable<I>,
  signal: AbortSignal | undefined,
): AsyncGenerator<O> {
  const ended = new AbortController();
  const cancel = (): void => call.cancel();
  let sendFailure: { readonly error: unknown } | undefined;
  // A late error, when nobody iterates any more, must not end the process.
  call.on("error", () => ended.abort());
  call.on("end", () => ended.abort());
  signal?.addEventListener("abort", cancel, { once: true });
  const sending = send(call, input, ended.signal).catch((error: unknown) => {
    if (ended.signal.aborted) return;
    sendFailure = { error };
    call.cancel();
  });
  try {
    yield* call;
  } catch (error) {
    if (sendFailure !== undefined) throw sendFailure.error;
    throw failureOf(error, signal);
  } finally {
    signal?.removeEventListener("abort", cancel);
    ended.abort();
    call.cancel();
    await sending;
  }
}

async function send<I>(call: ClientDuplexStream<I, unknown>, input: AsyncIterable<I>, ended: AbortSignal): Promise<void> {
  for await (const message of abortable(input, ended)) {
    if (!call.write(message)) await once(call, "drain", { signal: ended });
  }
  call.end();
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function writerOf<D extends DescMessage>(desc: D): (value: MessageInitShape<D>) => Buffer {
  return (value) => bufferOf(toBinary(desc, isMessage(value, desc) ? value : create(desc, value)));
}

function readerOf<D extends DescMessage>(desc: D): (bytes: Buffer) => MessageShape<D> {
  return (bytes) => fromBinary(desc, bytes);
}

/** Without a copy. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function metadataOf(header: ConstructorParameters<typeof Headers>[0], token: string | undefined): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of new Headers(header)) metadata.set(name, value);
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
  return metadata;
}

function deadlineOf(timeoutMs: number | undefined): CallOptions {
  return timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
}

function failureOf(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  return isServiceError(error) ? fromConnectError(findTrailerError(trailerOf(error))) : error;
}

/**
 * The status as the protocol carries it. Prefers the message inside grpc-status-details-bin: grpc-js decodes grpc-message with
 * decodeURI, which leaves for example "%3A" where the sender wrote a colon.
 */
function trailerOf(error: ServiceError): Headers {
  const trailer = new Headers({ "grpc-status": String(error.code), "grpc-message": encodeURIComponent(error.details) });
  const [details] = error.metadata.get("grpc-status-details-bin");
  if (details instanceof Buffer) trailer.set("grpc-status-details-bin", details.toString("base64"));
  return trailer;
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "metadata" in error && error.metadata instanceof Metadata;
}
