/** Reads and writes files in large pieces. */
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";

const bufferBytes = 1024 * 1024;

export type Received = { readonly digest: string; readonly sizeBytes: number };

export type WriteOptions = { readonly mode: number /** Wait until the data is on the disk. */; readonly sync?: boolean };

/** Writes a new file through two alternating buffers. After a failure, the caller removes what is left of the file. */
export async function writeLargeFile(path: string, body: AsyncIterable<Uint8Array>, { mode, sync }: WriteOptions): Promise<Received> {
  await using stack = new AsyncDisposableStack();
  let sizeBytes = 0;
  let large: LargeFile | undefined;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    large ??= stack.use(createLargeFile(await openNew(path, mode, stack), sync));
    await large.add(chunk);
  }
  return { digest: (await large?.end()) ?? "", sizeBytes };
}

type LargeFile = AsyncDisposable & {
  add(chunk: Uint8Array): Promise<void>;
  /** The digest, when everything is written. */
  end(): Promise<string>;
};

/** Copies chunks instead of keeping them: megabytes of garbage would pile up faster than they are collected. */
function createLargeFile(file: FileHandle, sync = false): LargeFile {
  const hash = createHash("sha256");
  let [filling, spare] = [Buffer.allocUnsafeSlow(bufferBytes), Buffer.allocUnsafeSlow(bufferBytes)];
  let filled = 0;
  let writing: Promise<void> = Promise.resolve();
  async function flush(): Promise<void> {
    const batch = filling.subarray(0, filled);
    hash.update(batch);
    await writing;
    writing = writeAll(file, batch);
    writing.catch(() => undefined);
    [filling, spare] = [spare, filling];
    filled = 0;
  }
  return {
    async add(chunk) {
      for (let rest = chunk; rest.length > 0; ) {
        const part = rest.subarray(0, bufferBytes - filled);
        filling.set(part, filled);
        filled += part.length;
        rest = rest.subarray(part.length);
        if (filled === bufferBytes) await flush();
      }
    },
    async end() {
      await flush();
      await writing;
      if (sync) await file.sync();
      return hash.digest("hex");
    },
    async [Symbol.asyncDispose]() {
      await writing.catch(() => undefined);
    },
  };
}

async function openNew(path: string, mode: number, stack: AsyncDisposableStack): Promise<FileHandle> {
  const file = await open(path, "wx", mode);
  stack.defer(() => file.close());
  return file;
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0; ) {
    const { bytesWritten } = await file.write(rest);
    rest = rest.subarray(bytesWritten);
  }
}

/** For a large file that nobody else can change any more. */
export async function digestOf(path: string): Promise<Received> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const chunk of passingStream(await open(path, "r"))) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { digest: hash.digest("hex"), sizeBytes };
}

/** One at a socket, one in each of two streams before it, and one being filled. */
const passingBuffers = 4;

/**
 * A large file for a consumer that waits until each piece is written. The pieces share a few buffers in turn, because that much garbage
 * would cost more than reading. The next piece is read in the meantime. The file is closed with the stream.
 *
 * @param range - Both ends inclusive.
 */
export function passingStream(file: FileHandle, { start, end } = { start: 0, end: Number.POSITIVE_INFINITY }): Readable {
  const buffers = Array.from({ length: passingBuffers }, () => Buffer.allocUnsafeSlow(bufferBytes));
  let at = start;
  return new Readable({
    read() {
      const buffer = buffers.shift() ?? Buffer.alloc(bufferBytes);
      buffers.push(buffer);
      const length = Math.min(buffer.length, end + 1 - at);
      if (length <= 0) return void this.push(null);
      const pushed = ({ bytesRead }: { readonly bytesRead: number }): void => {
        at += bytesRead;
        this.push(bytesRead === 0 ? null : buffer.subarray(0, bytesRead));
      };
      file.read(buffer, 0, length, at).then(pushed, (error: Error) => this.destroy(error));
    },
    destroy(error, done) {
      file.close().then(() => done(error), done);
    },
  });
}
