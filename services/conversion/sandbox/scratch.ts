/** Private folders of sandboxed programs, and the user ids that own them. */
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import type { Identity } from "./recipe.ts";
import { openUserIds } from "./user-ids.ts";

export type Scratch = AsyncDisposable & { readonly path: string; readonly identity: Identity };

export type ScratchPool = AsyncDisposable & {
  /** A folder with mode 0700 and a random name, owned by the identity that programs in it run as. */
  open(): Promise<Scratch>;
  /** The identity of a folder that `open` created. */
  identityOf(folder: string): Identity;
  /** An identity for a run without a folder. */
  claim(): Promise<Identity>;
  release(identity: Identity): void;
};

/** `firstUid` undefined: Filemill is an ordinary user and therefore owns every folder. */
export async function openScratchPool(scratchDir: string, firstUid: number | undefined): Promise<ScratchPool> {
  await mkdir(scratchDir, { recursive: true, mode: 0o711 });
  const owners = new Map<string, Identity>();
  const userIds = firstUid === undefined ? undefined : openUserIds(firstUid);

  async function claim(): Promise<Identity> {
    return userIds === undefined ? { kind: "namespace" } : { kind: "slot", uid: await userIds.claim() };
  }

  function release(identity: Identity): void {
    if (identity.kind === "slot") userIds?.release(identity.uid);
  }

  async function open(): Promise<Scratch> {
    const identity = await claim();
    try {
      const path = await mkdtemp(join(scratchDir, "s-"));
      if (identity.kind === "slot") await chown(path, identity.uid, identity.uid);
      owners.set(path, identity);
      let gone: Promise<void> | undefined;
      const dispose = () => {
        gone ??= removeFolder(path).finally(() => {
          owners.delete(path);
          release(identity);
        });
        return gone;
      };
      return { path, identity, [Symbol.asyncDispose]: dispose };
    } catch (cause) {
      release(identity);
      throw new FilemillError("UNAVAILABLE", "No working folder could be created.", { cause });
    }
  }

  return {
    open,
    claim,
    release,
    identityOf(folder) {
      const identity = owners.get(folder);
      if (identity === undefined) throw new FilemillError("INTERNAL", "The folder of a sandboxed run is not one of openScratch.");
      return identity;
    },
    async [Symbol.asyncDispose]() {
      await userIds?.[Symbol.asyncDispose]();
    },
  };
}

/** Removes a folder whatever its file modes are. Never follows a link. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await unlock(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function unlock(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || !found.isDirectory()) return;
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) if (entry.isDirectory()) await unlock(join(path, entry.name));
}
