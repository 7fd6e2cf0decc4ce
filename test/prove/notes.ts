/** Notes that routes announce for their results. */
import type { EngineManifest } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { expectedNotesOf } from "#services/catalogue/domain/expected-notes.ts";
import type { HopName } from "#services/catalogue/domain/proof.ts";
import { unexpectedCodes } from "#services/conversion/domain/expectations.ts";

/** Codes that may be noted for a result of these hops, by the catalogue's own rule. */
export function announcedBy(engines: readonly EngineManifest[]): (hops: readonly HopName[]) => ReadonlySet<string> {
  const hopsOf = new Map(
    engines.flatMap(({ id, hops, expectedNotes }) =>
      hops.map((hop) => {
        const notes = hop.expectedNotes.flatMap((place) => expectedNotes[place] ?? []);
        return [`${id} ${hop.from} ${hop.to}`, { from: hop.from, expectedNotes: notes }] as const;
      }),
    ),
  );
  return (hops) => {
    const way = hops.flatMap(({ engine, from, to }) => hopsOf.get(`${engine} ${from} ${to}`) ?? []);
    return new Set([...unexpectedCodes, ...expectedNotesOf(way).map(({ code }) => code)]);
  };
}
