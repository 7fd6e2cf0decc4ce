/** The targets of hostile files, and whether any of them was touched. */
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Aim } from "./attack.ts";
import { markedPng } from "./picture-files.ts";

/** A colour that no conversion would produce by itself. */
export const secretColour = [255, 0, 200] as const;

export type Canaries = AsyncDisposable & {
  /** `neighbour` is an empty path until that account has a file. */
  readonly aim: Aim;
  /** Contained in every secret file and picture. */
  readonly secret: string;
  /** First lines of everything received over the network so far. */
  readonly hits: readonly string[];
  /** Files that an attack wrote. */
  written(): Promise<string[]>;
};

export async function openCanaries(): Promise<Canaries> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "filemill-canary-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const secret = `canary${randomBytes(12).toString("hex")}`;
  const outDir = join(folder, "out");
  const files = { secretFile: join(folder, "secret.txt"), secretPicture: join(folder, "secret.png"), neighbour: "" };
  await writeFile(files.secretFile, `${secret}\n`, { mode: 0o644 });
  await writeFile(files.secretPicture, markedPng(secret, secretColour), { mode: 0o644 });
  await mkdir(outDir);
  await chmod(outDir, 0o777);

  const hits: string[] = [];
  const picture = markedPng(secret, secretColour);
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    hits.push("a connection");
    socket.once("data", (data) => {
      hits.push(data.toString("latin1").split("\r\n")[0] ?? "");
      socket.write(`HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: ${picture.length}\r\nConnection: close\r\n\r\n`);
      socket.end(picture);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stack.defer(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const datagrams = createSocket("udp4", () => hits.push("a datagram"));
  datagrams.bind(port, "127.0.0.1");
  await once(datagrams, "listening");
  stack.defer(() => void datagrams.close());
  const owned = stack.move();
  return {
    aim: { url: `http://127.0.0.1:${port}`, port, outDir, ...files },
    secret,
    hits,
    written: () => readdir(outDir),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
