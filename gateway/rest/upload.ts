import type { MultipartFile, MultipartValue } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import type { Passage } from "#gateway/access/budget.ts";
import { bodyTooSlow, watchBodyPace } from "#gateway/http/body-pace.ts";
import { boundedFileName } from "#gateway/http/file-name.ts";
import type { Blob } from "#gen/filemill/common/v1/blob_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";

/** Boundaries, part headers and the `to` field. */
const MULTIPART_OVERHEAD_BYTES = 64 * 1024;
const MAX_OUTSIDE_FILE_BYTES = 1 << 20;
const MAX_TO_CHARACTERS = 256;

/** A size limit for the file, and who set it. */
export type Ceiling = { readonly limitMb: number; readonly limitedBy: "plan" | "conversion" };

export type Upload = { readonly to: string; readonly blob: Blob; readonly fileName: string };

export type UploadRules = {
  readonly blobs: BlobStore;
  /** The file's size limit as far as it is known. `to` is undefined until the field has arrived. */
  ceilingOf(to: string | undefined): Ceiling;
  /** The error for a field that is neither `to` nor `file`. */
  unexpected(field: string): FilemillError;
  /** Fires, with a FilemillError as its reason, when the upload is no longer wanted. */
  readonly signal: AbortSignal;
  /** Counts received bytes and refuses them once there is no room left. */
  readonly passage: Pick<Passage, "count">;
};

/** Limits of the parser. One higher than allowed, so that excess parts are seen and can be named. */
export const multipartLimits = {
  limits: { files: 2, fields: 2, parts: 4, fieldSize: 1024, fileSize: Number.MAX_SAFE_INTEGER, headerPairs: 32 },
  throwFileSizeLimit: false,
  // A reader would get a copy of anything larger than one chunk.
  fileHwm: 64 * 1024,
};

/**
 * Throws INPUT_TOO_LARGE if Content-Length already exceeds the limit.
 *
 * @returns Lower bound of the file's size, as far as Content-Length shows.
 */
export function checkContentLength(request: FastifyRequest, ceiling: Ceiling): number {
  const leastBytes = Math.max(0, Number(request.headers["content-length"] ?? 0) - MULTIPART_OVERHEAD_BYTES);
  if (leastBytes > ceiling.limitMb * 1e6) throw tooLarge(ceiling);
  return leastBytes;
}

/**
 * Streams a multipart body with exactly the fields `to` and `file`, in either order, into the blob store. Resolves only if both arrived and
 * the body is complete. Otherwise nothing is kept and it rejects with BAD_REQUEST, MISSING_FIELD, UNEXPECTED_FIELD, INPUT_TOO_LARGE,
 * QUOTA_EXCEEDED, INVALID_INPUT (empty file), REQUEST_TIMEOUT or UNAVAILABLE.
 */
export async function receiveUpload(request: FastifyRequest, rules: UploadRules): Promise<Upload> {
  const { raw } = request;
  const stop = new AbortController();
  let failure: FilemillError | undefined;
  const stopWith = (error: FilemillError): void => {
    if (failure !== undefined) return;
    failure = error;
    stop.abort(error);
    // Only an error event of the request stops the parser. The connection stays open for the answer.
    raw.emit("error", error);
  };
  const abandon = (): void => stopWith(rules.signal.reason);
  rules.signal.addEventListener("abort", abandon, { once: true });
  using _pace = watchBodyPace(raw, () => stopWith(bodyTooSlow()));
  // The parser discards bytes outside the parts, so they are limited here.
  let bodyBytes = 0;
  const maxBodyBytes = rules.ceilingOf(undefined).limitMb * 1e6 + MAX_OUTSIDE_FILE_BYTES;
  const count = (chunk: Buffer): void => {
    bodyBytes += chunk.length;
    if (bodyBytes > maxBodyBytes) stopWith(brokenBody(undefined));
    rules.passage.count(chunk.length, stopWith);
  };
  raw.on("data", count);
  try {
    return await receive(request, { ...rules, signal: stop.signal });
  } catch (error) {
    throw failure ?? error;
  } finally {
    raw.off("data", count);
    rules.signal.removeEventListener("abort", abandon);
  }
}

async function receive(request: FastifyRequest, rules: UploadRules): Promise<Upload> {
  const received: { to?: string; blob?: Blob; fileName?: string } = {};
  try {
    for await (const part of request.parts()) {
      if (part.type === "field") received.to = toOf(part, received.to, rules);
      else {
        checkFilePart(part, received.blob, rules);
        const ceiling = rules.ceilingOf(received.to);
        checkContentLength(request, ceiling);
        received.blob = await storeFile(part, rules, ceiling);
        received.fileName = fileNameOf(part.filename ?? "");
      }
    }
    await bodyEnd(request, rules.signal);
    const { to, blob, fileName } = received;
    if (to === undefined || to === "") throw missing("to", "Send the target format in the field `to`.");
    if (blob === undefined || fileName === undefined) throw missing("file", "Send the file in the field `file`, as a file part.");
    if (blob.sizeBytes === 0n) throw new FilemillError("INVALID_INPUT", "The file is empty; send one with content.");
    return { to, blob, fileName };
  } catch (error) {
    if (received.blob !== undefined) await discard(rules.blobs, received.blob.id);
    throw uploadErrorOf(error);
  }
}

function toOf(part: MultipartValue, before: string | undefined, { unexpected }: Pick<UploadRules, "unexpected">): string {
  if (part.fieldname === "file") throw missing("file", "Send `file` as a file part, with a file name (curl: `-F file=@name`).");
  if (part.fieldname !== "to") throw unexpected(part.fieldname);
  if (before !== undefined) throw twice("to", "Send the field `to` once.");
  if (typeof part.value !== "string") throw new FilemillError("BAD_REQUEST", "The field `to` must be plain text.");
  return part.value.trim().slice(0, MAX_TO_CHARACTERS);
}

/** Browsers and curl encode only the three characters that would end a quoted header value (HTML §4.10.21.8). */
const encodedCharacters: Readonly<Record<string, string>> = { "%22": '"', "%0D": "\r", "%0A": "\n" };

function fileNameOf(sent: string): string {
  return boundedFileName(sent.replace(/%(22|0d|0a)/gi, (code) => encodedCharacters[code.toUpperCase()] ?? code));
}

function checkFilePart(part: MultipartFile, before: Blob | undefined, { unexpected }: Pick<UploadRules, "unexpected">): void {
  // A destroyed part may still emit the request's error, and nothing else listens then.
  part.file.on("error", () => {});
  if (part.fieldname === "to") throw missing("to", "Send `to` as a plain field, not as a file (curl: `-F to=webp`).");
  if (part.fieldname !== "file") throw unexpected(part.fieldname);
  if (before !== undefined) throw twice("file", "Send one file per request.");
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
    if (source.failure !== undefined || rules.signal.aborted) throw brokenBody(source.failure ?? error);
    if (error instanceof FilemillError && error.code === "INPUT_TOO_LARGE") throw tooLarge(ceiling);
    // Not caused by the body: keeps uploadErrorOf from reporting it as malformed.
    throw error instanceof FilemillError ? error : new FilemillError("INTERNAL", "Something went wrong on our side.", { cause: error });
  }
}

/** Resolves when the whole body has arrived, including any epilogue after the closing boundary (RFC 2046 §5.1.1). */
function bodyEnd(request: FastifyRequest, signal: AbortSignal): Promise<void> {
  const { raw } = request;
  if (raw.complete) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      if (raw.complete) resolve();
      else reject(brokenBody(undefined));
    };
    raw.once("end", settle).once("close", settle);
    signal.addEventListener("abort", () => reject(brokenBody(signal.reason)), { once: true });
    raw.resume();
  });
}

/** Removes a blob that is no longer needed. If that fails, the sweep removes it later, so the client is not told. */
export async function discard(blobs: BlobStore, blobId: string): Promise<void> {
  await blobs.remove(blobId).catch(() => undefined);
}

/** Maps every parsing error to a FilemillError. The parser's own errors carry a code only for its limits. */
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

export function tooLarge({ limitMb, limitedBy }: Ceiling): FilemillError {
  const whose = limitedBy === "plan" ? "your plan" : "this conversion";
  return new FilemillError("INPUT_TOO_LARGE", `The file is over the ${limitMb} MB that ${whose} allows; send a smaller file.`, {
    details: { limitMb, limitedBy },
  });
}

function missing(field: "to" | "file", message: string): FilemillError {
  return new FilemillError("MISSING_FIELD", message, { details: { field } });
}

function twice(field: "to" | "file", message: string): FilemillError {
  return new FilemillError("UNEXPECTED_FIELD", message, { details: { field } });
}
