/** A Unix socket that only its owner may open. */
import { chmod, lstat, mkdtemp, rename, rm } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { dirname, join } from "node:path";
import { FilemillError } from "#contract/errors.ts";

/** Limit of the path including the final zero byte. macOS allows 104 bytes, Linux a few more (unix(7)). */
const maxPathBytes = 104;

/**
 * Makes the server listen at `path`. Disposing the result removes the socket. Replaces a socket that a dead process left. Rejects with
 * UNAVAILABLE if another process listens there, or something else is in the way.
 */
export async function listenAtPath(server: Server, path: string): Promise<AsyncDisposable> {
  const refuse = (why: string, cause?: unknown): never => {
    throw new FilemillError("UNAVAILABLE", `The Unix socket of the internal services (RPC_SOCKET) ${why}.`, { cause });
  };
  const longest = join(dirname(path), ".rpc-XXXXXX", "s");
  if (Buffer.byteLength(longest) >= maxPathBytes) return refuse("has too long a path; choose a shorter one");
  const state = await stateAt(path);
  if (state === "open" || state === "closed") return refuse("is in use by another process");
  const present = await lstat(path).catch(() => undefined);
  if (present?.isSocket() === false) return refuse("would replace another file");
  // Created in a folder that nobody else may enter, and moved once its permissions are right, so that it is never open to others.
  const folder = await mkdtemp(join(dirname(path), ".rpc-")).catch((cause: unknown) => refuse("cannot be created there", cause));
  try {
    const draft = join(folder, "s");
    await listening(server, draft).catch((cause: unknown) => refuse("cannot be created there", cause));
    await chmod(draft, 0o600);
    const { ino } = await lstat(draft);
    await rename(draft, path);
    return {
      async [Symbol.asyncDispose]() {
        // Another process may have replaced it meanwhile.
        const last = await lstat(path).catch(() => undefined);
        if (last?.ino === ino) await rm(path, { force: true });
      },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `open`: a process listens there. `closed`: this process may not find out. `dead`: nobody listens, whatever is there. */
export function stateAt(path: string): Promise<"open" | "closed" | "dead"> {
  return new Promise((settle) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      settle("open");
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      settle(error.code === "ECONNREFUSED" || error.code === "ENOENT" ? "dead" : "closed");
    });
  });
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
