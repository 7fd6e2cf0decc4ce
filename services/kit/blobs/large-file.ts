/** Files that are written and read in large pieces. */
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";

const bufferBytes = 1024 * 1024;

export type Received = { readonly digest: string; readonly sizeBytes: number };

export type WriteOptions = { readonly mode: number /** Not back before the disk has it. */; readonly sync?: boolean };

/** Writes a new file through two buffers that are filled in turn. The caller removes what is left of it after a failure. */
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
  /** The digest, when all is written. */
  end(): Promise<string>;
};

/** Chunks are copied, not kept: garbage of a megabyte each would pile up faster than it is collected. */
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

/** Of a large file that nobody else can change any more. */
export async function digestOf(path: string): Promise<Received> {
  await using file = await open(path, "r");
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(bufferBytes);
  let sizeBytes = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, sizeBytes);
    if (bytesRead === 0) return { digest: hash.digest("hex"), sizeBytes };
    hash.update(buffer.subarray(0, bytesRead));
    sizeBytes += bytesRead;
  }
}
