/** A Unix socket that its owner alone may open. */
import { chmod, lstat, mkdtemp, rename, rm } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { dirname, join } from "node:path";
import { FilemillError } from "#contract/errors.ts";

/** What the system takes, with the zero byte at its end (unix(7)); others take a little less. */
const maxPathBytes = 104;

/**
 * Has the server listen at `path`, and resolves with what removes the socket again. One that a dead process left is replaced. Rejects with
 * UNAVAILABLE when another process listens there, or something else is in the way.
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
  // Made where nobody else may enter and moved when its rights are right: at its place it is never open to others.
  const folder = await mkdtemp(join(dirname(path), ".rpc-")).catch((cause: unknown) => refuse("cannot be created there", cause));
  try {
    const draft = join(folder, "s");
    await listening(server, draft).catch((cause: unknown) => refuse("cannot be created there", cause));
    await chmod(draft, 0o600);
    const { ino } = await lstat(draft);
    await rename(draft, path);
    return {
      async [Symbol.asyncDispose]() {
        // Another process may have taken the place meanwhile.
        const last = await lstat(path).catch(() => undefined);
        if (last?.ino === ino) await rm(path, { force: true });
      },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `open`: a process listens there. `closed`: this one may not know. `dead`: nobody listens, whatever is there. */
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
