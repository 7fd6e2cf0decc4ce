/** What a TAR stores beside its files: extended attributes, access control lists, flags of file systems, and comments. */
import { join } from "node:path";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { firstNames } from "../shared/hop-table.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { packings } from "./archive-hops.ts";
import { limits } from "./archive-members.ts";

const script = join(import.meta.dirname, "tar-extras.py");
const scriptInside = "/engine/tar-extras.py";

type Found = { readonly count: number; readonly first: readonly string[] };
type Extras = { readonly attributes: Found; readonly acls: Found; readonly flags: Found; readonly isCommented: boolean };

async function extrasOf(session: ToolSession, archive: string): Promise<Extras | undefined> {
  const args = ["-I", scriptInside, archive];
  const end = await session.run({ program: "/usr/bin/python3", args, readOnly: { [script]: scriptInside }, limits });
  return end.exitCode === 0 ? JSON.parse(end.stdout) : undefined;
}

/** To be called when the result has been written. Whether it keeps them depends on the format and on how it was packed. */
export async function noteLostExtras(session: ToolSession, { hop, note }: HopTask): Promise<void> {
  const isTar = (format: string) => packings[format]?.format === "pax";
  const before = isTar(hop.from) ? await extrasOf(session, inputInside) : undefined;
  if (before === undefined) return;
  const mayKeep = isTar(hop.to) && before.attributes.count + before.acls.count + before.flags.count > 0;
  const after = mayKeep ? await extrasOf(session, "/job/out") : undefined;
  const lost = [
    ...(before.isCommented ? ["comments of the archive or its files"] : []),
    ...lostOf("extended attributes", before.attributes, after?.attributes),
    ...lostOf("access control lists", before.acls, after?.acls),
    ...lostOf("flags", before.flags, after?.flags),
  ];
  if (lost.length > 0) note("METADATA_DROPPED", `Left out: ${lost.join("; ")}.`);
}

function lostOf(what: string, { count, first }: Found, after: Found | undefined): readonly string[] {
  return count <= (after?.count ?? 0) ? [] : [`${what} of ${firstNames(first, first.length, count)}`];
}
