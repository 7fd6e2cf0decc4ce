/** For operators: does immediately what the service would do in its own time, or removes an account's jobs with their files. */
import type { BlobStore } from "#kit/blobs/store.ts";
import { expireJobs, orphansOf, sweepBlobs } from "./care.ts";
import { deleteJobs } from "./end-job.ts";
import type { Core } from "./ports.ts";
import { dueOf, keptBytesOf, neededBlobsOf } from "./retention.ts";
import type { Record } from "./state.ts";

export type Purge = {
  /** The account whose jobs to remove; empty: everything that is due. */
  readonly accountId: string;
  /** Only reports what would be removed. */
  readonly dryRun: boolean;
};

export type Purged = { readonly jobs: number; readonly files: number; readonly bytes: bigint; readonly strayFiles: number };

/** Resolves when everything is removed. Jobs that become due meanwhile may be removed as well. */
export async function purge(core: Core, blobs: BlobStore, { accountId, dryRun }: Purge, signal: AbortSignal): Promise<Purged> {
  const isMeant = ({ job, deleted }: Record): boolean => !deleted && job.accountId === accountId;
  const isDue = (record: Record): boolean => dueOf(record, core.clock.now()) !== undefined;
  const all = [...core.projection.all()].map(({ record }) => record);
  const records = all.filter(accountId === "" ? isDue : isMeant);
  const strays = accountId === "" ? (await orphansOf(core, blobs)).length : 0;
  const purged = {
    jobs: records.length,
    files: records.reduce((sum, record) => sum + neededBlobsOf(record).length, 0),
    bytes: BigInt(records.reduce((sum, record) => sum + keptBytesOf(record), 0)),
    strayFiles: strays,
  };
  if (dryRun) return purged;
  if (accountId !== "") await deleteJobs(core, accountId);
  else {
    await expireJobs(core, signal);
    await sweepBlobs(core, blobs);
  }
  core.log.info("job.purged", { ...purged, bytes: Number(purged.bytes) });
  return purged;
}
