/** Resumable uploads by the tus protocol 1.0: what has arrived, and who owns it. */
import { createHmac, randomBytes } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { FileStore } from "@tus/file-store";
import type { Server, Upload } from "@tus/server";
import { FilemillError } from "#contract/errors.ts";
import type { Log } from "#kit/log.ts";

/** An upload that is unfinished or has not been turned into a job. */
export type ResumableUpload = {
  readonly id: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly offset: number;
  readonly name: string | undefined;
  readonly expiresAt: Date;
};

export type ResumableUploads = Disposable & {
  /** Answers a tus request that the caller has authenticated and limited. */
  answer(request: Request): Promise<Response>;
  /** A new id. It contains digests of the account and of the budget it counts against. */
  newIdOf(accountId: string, budgetId: string): string;
  /** Rejects with NOT_FOUND if the upload does not exist, has expired or belongs to another account. */
  find(accountId: string, id: string): Promise<ResumableUpload>;
  /** Lists the uploads of a budget, after removing those that have received nothing for `idleMs`. */
  listOf(budgetId: string, idleMs?: number): Promise<readonly ResumableUpload[]>;
  remove(id: string): Promise<void>;
  /** Runs work one at a time, because what one upload may take depends on those before it. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
};

const lifeMs = 24 * 3_600_000;
const tidyMs = 10 * 60_000;
/** An id consists of the digests of account and budget, then random digits. */
const ownerDigits = 32;
const payerDigits = 16;
const idForm = /^[0-9a-f]{64}$/;
/** Header that passes the id of a new upload to the tus library, which asks for one. */
export const newIdHeader = "x-filemill-upload";

type Tus = { readonly server: Server; readonly store: FileStore };

/** @param key - Secret of this installation. @param tidy - Interval for removing expired uploads, in ms. */
export function createResumableUploads(settings: { readonly DATA_DIR: string }, key: string, log: Log, tidy = tidyMs): ResumableUploads {
  const directory = join(resolve(settings.DATA_DIR), "uploads");
  let opening: Promise<Tus> | undefined;
  const open = (): Promise<Tus> => {
    opening ??= openTus(directory);
    return opening;
  };
  const ownerOf = (accountId: string): string => digestOf(key, `upload ${accountId}`).slice(0, ownerDigits);
  const payerOf = (budgetId: string): string => digestOf(key, `budget ${budgetId}`).slice(0, payerDigits);
  /** Does not use the library's cleanup, which rejects if an upload is deleted meanwhile. */
  const tidyUp = async (): Promise<void> => {
    for (const name of await readdir(directory).catch(() => [])) {
      const id = name.replace(/\.json$/, "");
      if (!idForm.test(id)) continue;
      const endsMs = (await stateOf(id))?.expiresAt.getTime() ?? (await lastChangeMsOf(join(directory, name))) + lifeMs;
      if (endsMs <= Date.now()) await Promise.all(["", ".json"].map((end) => rm(join(directory, id + end), { force: true })));
    }
  };
  const timer = setInterval(() => void tidyUp().catch((err: unknown) => log.warn("uploads.not_tidied", { err })), tidy).unref();
  let last: Promise<unknown> = Promise.resolve();

  async function stateOf(id: string): Promise<ResumableUpload | undefined> {
    const { store } = await open();
    const found = await store.getUpload(id).catch(() => undefined);
    return found && uploadOf(id, join(directory, id), found);
  }

  const remove = async (id: string): Promise<void> => (await open()).store.remove(id).catch(() => undefined);
  return {
    answer: async (request) => (await open()).server.handleWeb(request),
    newIdOf: (accountId, budgetId) => ownerOf(accountId) + payerOf(budgetId) + randomBytes(payerDigits / 2).toString("hex"),
    async find(accountId, id) {
      const isOwn = idForm.test(id) && id.startsWith(ownerOf(accountId));
      const found = isOwn ? await stateOf(id) : undefined;
      if (found !== undefined && found.expiresAt.getTime() > Date.now()) return found;
      throw new FilemillError("NOT_FOUND", "No such upload; start a new one.");
    },
    async listOf(budgetId, idleMs = Number.POSITIVE_INFINITY) {
      const payer = payerOf(budgetId);
      const ids = (await readdir(directory).catch(() => [])).filter((name) => idForm.test(name) && name.startsWith(payer, ownerDigits));
      const found = await Promise.all(
        ids.map(async (id) => {
          if (Date.now() - (await lastChangeMsOf(join(directory, id))) < idleMs) return stateOf(id);
          await remove(id);
          return undefined;
        }),
      );
      return found.filter((upload) => upload !== undefined);
    },
    remove,
    inTurn(work) {
      const turn = last.then(work);
      last = turn.catch(() => undefined);
      return turn;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function digestOf(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}

function uploadOf(id: string, path: string, { size = 0, offset, metadata, creation_date }: Upload): ResumableUpload {
  const expiresAt = new Date(Date.parse(creation_date ?? "") + lifeMs);
  return { id, path, sizeBytes: size, offset, name: metadata?.filename ?? undefined, expiresAt };
}

/** The current time for a file that no longer exists. */
async function lastChangeMsOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now();
}

async function openTus(directory: string): Promise<Tus> {
  // Imported on first use, because few servers ever receive a resumable upload.
  const [{ Server }, { FileStore }] = await Promise.all([import("@tus/server"), import("@tus/file-store")]);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const store = new FileStore({ directory, expirationPeriodInMilliseconds: lifeMs });
  // The length must be declared in advance, so that no upload starts that may not finish.
  store.extensions = ["creation", "termination", "expiration"];
  const server = new Server({
    path: "/api/v1/uploads",
    datastore: store,
    // Pages of other origins have no access.
    allowedOrigins: [],
    // Relative to the request URL, so that it is correct behind a proxy that adds a prefix.
    generateUrl: (_request, { id }) => `uploads/${id}`,
    namingFunction: (request) => request.headers.get(newIdHeader) ?? "",
  });
  return { server, store };
}
