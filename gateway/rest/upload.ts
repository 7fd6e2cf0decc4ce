import type { MultipartFile, MultipartValue } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { watchBodyPace } from "#gateway/http/body-pace.ts";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import { FilemillError } from "#kit/errors.ts";

/** Boundaries, part headers and the `to` field beside the file. */
const MULTIPART_OVERHEAD_BYTES = 64 * 1024;
const MAX_TO_CHARACTERS = 256;

/** A bound on the file, and who set it. */
export type Ceiling = { readonly limitMb: number; readonly limitedBy: "plan" | "conversion" };

export type Upload = { readonly to: string; readonly blob: Blob; readonly fileName: string };

export type UploadRules = {
  readonly blobs: BlobStore;
  /** What bounds the file, as far as it is known; `to` is undefined while the field has not come. */
  ceilingOf(to: string | undefined): Ceiling;
  readonly signal: AbortSignal;
};

/** Limits of the parser. One above what is allowed, so that we see what is too much and can name it. */
export const multipartLimits = {
  limits: { files: 2, fields: 2, parts: 4, fieldSize: 1024, fileSize: Number.MAX_SAFE_INTEGER, headerPairs: 32 },
  throwFileSizeLimit: false,
  fileHwm: 256 * 1024,
};

/** Rejects with INPUT_TOO_LARGE a body that Content-Length already shows to be over the ceiling. */
export function checkContentLength(request: FastifyRequest, ceiling: Ceiling): void {
  const length = Number(request.headers["content-length"] ?? 0);
  if (length - MULTIPART_OVERHEAD_BYTES > ceiling.limitMb * 1e6) throw tooLarge(ceiling);
}

/**
 * Streams a multipart body with exactly the fields `to` and `file`, in either order, into the blob store. Either both
 * came and the body ended as it should, or it rejects and nothing is left: BAD_REQUEST, MISSING_FIELD,
 * UNEXPECTED_FIELD, INPUT_TOO_LARGE, INVALID_INPUT (empty file), REQUEST_TIMEOUT, UNAVAILABLE.
 */
export async function receiveUpload(request: FastifyRequest, rules: UploadRules): Promise<Upload> {
  const tooSlow = new AbortController();
  using _pace = watchBodyPace(request.raw, () => {
    tooSlow.abort(new FilemillError("REQUEST_TIMEOUT", "The body came too slowly; send it again on a faster connection."));
  });
  const signal = AbortSignal.any([rules.signal, tooSlow.signal]);
  // The parser cannot be woken from outside: when the client is too slow the answer goes out past it, and closing the
  // connection ends the parser, which then cleans up.
  return await Promise.race([receive(request, { ...rules, signal }), rejectionOf(tooSlow.signal)]);
}

async function receive(request: FastifyRequest, rules: UploadRules): Promise<Upload> {
  const received: { to?: string; blob?: Blob; fileName?: string } = {};
  try {
    for await (const part of request.parts()) {
      if (part.type === "field") received.to = toOf(part, received.to);
      else {
        checkFilePart(part, received.blob);
        received.blob = await storeFile(part, rules, rules.ceilingOf(received.to));
        received.fileName = part.filename ?? "";
      }
    }
    await bodyEnd(request, rules.signal);
    const { to, blob, fileName } = received;
    if (to === undefined || to.trim() === "") throw missing("to", "Send the target format in the field `to`.");
    if (blob === undefined || fileName === undefined) throw missing("file", "Send the file in the field `file`, as a file part.");
    if (blob.sizeBytes === 0n) throw new FilemillError("INVALID_INPUT", "The file is empty; send one with content.");
    return { to, blob, fileName };
  } catch (error) {
    if (received.blob !== undefined) await rules.blobs.remove(received.blob.id);
    throw uploadErrorOf(error);
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function toOf(part: MultipartValue, before: string | undefined): string {
  if (part.fieldname === "file") throw missing("file", "Send `file` as a file part, with a file name (curl: `-F file=@name`).");
  if (part.fieldname !== "to") throw unexpected(part.fieldname);
  if (before !== undefined) throw unexpected("to", "Send the field `to` once.");
  if (typeof part.value !== "string") throw new FilemillError("BAD_REQUEST", "The field `to` must be plain text.");
  return part.value.slice(0, MAX_TO_CHARACTERS);
}

function checkFilePart(part: MultipartFile, before: Blob | undefined): void {
  // A destroyed part may still report the end of the request; nobody else listens then.
  part.file.on("error", () => {});
  if (part.fieldname === "to") throw missing("to", "Send `to` as a plain field, not as a file (curl: `-F to=webp`).");
  if (part.fieldname !== "file") throw unexpected(part.fieldname);
  if (before !== undefined) throw unexpected("file", "Send one file in one request.");
}

async function storeFile(part: MultipartFile, rules: UploadRules, ceiling: Ceiling): Promise<Blob> {
  const source: { failure?: unknown } = {};
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of part.file) yield chunk;
    } catch (error) {
      source.failure = error;
      throw error;
    }
  }
  try {
    return await rules.blobs.write(bytes(), { maxBytes: ceiling.limitMb * 1e6, signal: rules.signal });
  } catch (error) {
    if (source.failure !== undefined) throw brokenBody(source.failure);
    if (error instanceof FilemillError && error.code === "INPUT_TOO_LARGE") throw tooLarge(ceiling);
    // Not a defect of the body: keep it from being read as one.
    throw error instanceof FilemillError ? error : new FilemillError("INTERNAL", "Something went wrong on our side.", { cause: error });
  }
}

/** Resolves when the whole body has come; what follows the closing boundary is thrown away (RFC 2046 §5.1.1). */
function bodyEnd(request: FastifyRequest, signal: AbortSignal): Promise<void> {
  const { raw } = request;
  if (raw.complete) return Promise.resolve();
  return new Promise((resolve, reject) => {
    let epilogueBytes = 0;
    const settle = (): void => {
      if (raw.complete) resolve();
      else reject(brokenBody(undefined));
    };
    raw.on("data", (chunk: Buffer) => {
      epilogueBytes += chunk.length;
      if (epilogueBytes > MULTIPART_OVERHEAD_BYTES) reject(brokenBody(undefined));
    });
    raw.once("end", settle).once("close", settle);
    signal.addEventListener("abort", () => reject(brokenBody(signal.reason)), { once: true });
    raw.resume();
  });
}

/** Everything that can go wrong while parsing, in our words. The parser's own errors carry a code only for its limits. */
function uploadErrorOf(error: unknown): FilemillError {
  if (error instanceof FilemillError) return error;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "FST_PARTS_LIMIT":
    case "FST_FILES_LIMIT":
    case "FST_FIELDS_LIMIT":
    case "FST_PROTO_VIOLATION":
      return new FilemillError("UNEXPECTED_FIELD", "Send exactly the two fields `to` and `file`.", { cause: error });
    default:
      return brokenBody(error);
  }
}

function brokenBody(cause: unknown): FilemillError {
  return new FilemillError("BAD_REQUEST", "The multipart body is malformed or was cut off; send it again.", { cause });
}

function tooLarge({ limitMb, limitedBy }: Ceiling): FilemillError {
  const whose = limitedBy === "plan" ? "your plan" : "this conversion";
  return new FilemillError("INPUT_TOO_LARGE", `The file is over the ${limitMb} MB that ${whose} allows; send a smaller one.`, {
    details: { limitMb, limitedBy },
  });
}

function missing(field: "to" | "file", message: string): FilemillError {
  return new FilemillError("MISSING_FIELD", message, { details: { field } });
}

function unexpected(field: string | undefined, message = "Send exactly the two fields `to` and `file`."): FilemillError {
  return new FilemillError("UNEXPECTED_FIELD", message, { details: { field: (field ?? "").slice(0, 64) } });
}
