/** `npm run prove -- --own`: measures changes within a format. */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OwnFigure } from "#gateway/docs/own-figures.ts";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import { type Catalogue, catalogueOf } from "#services/catalogue/domain/catalogue.ts";
import { proofOf } from "#services/catalogue/domain/proof.ts";
import type { Converter } from "#services/conversion/domain/converter.ts";
import { openConverter } from "#services/conversion/index.ts";
import { isAsked } from "#test/prove/asked.ts";
import { planOfProven } from "#test/prove/entries.ts";
import { convert } from "#test/prove/execute.ts";
import { messageOf } from "#test/prove/message-of.ts";
import { type KnownFile, kindOf } from "#test/prove/samples.ts";
import { committedProof, readProof } from "#test/prove/store.ts";
import { type OwnRow, ownRows } from "./asked.ts";
import { measure } from "./measures.ts";
import { keyOfAsked, readOwnFigures, writeOwnFigures } from "./own-figures.ts";
import { sourceNames, sourceOf } from "./sources.ts";
import type { Studio } from "./studio.ts";

export type OwnRequest = {
  /** `X:X`; empty for all. */
  readonly route: readonly string[];
  /** Write nothing. */
  readonly check: boolean;
  readonly settings: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  say(line: string): void;
};

type Workshop = {
  readonly converter: Converter;
  readonly catalogue: Catalogue;
  readonly studio: Studio;
  readonly way: Parameters<typeof convert>[0];
};

const timeoutMs = 240_000;

/** Whether every requested change succeeded. Sequential, because each row measures as much as it converts. */
export async function proveOwn(request: OwnRequest): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-own-"));
  const settings = { ...parseSettings(settingTable, request.settings), DATA_DIR: folder };
  const fresh: OwnFigure[] = [];
  try {
    await using converter = await openConverter(settings, openLog("error"));
    const workshop = await workshopOf(request, converter, folder);
    for (const row of ownRows.filter(({ format }) => isAsked({ ...request, engine: [] }, { from: format, to: format }, []))) {
      if (request.signal.aborted) return false;
      const figure = await figureOf(row, workshop, request.signal);
      request.say(`${figure.failure === "" ? "  " : "  FAILED "}${JSON.stringify(figure)}`);
      fresh.push(figure);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (request.signal.aborted) return false;
  if (!request.check) await writeOwnFigures(mergedFigures(await readOwnFigures(), fresh));
  const failed = fresh.filter(({ failure }) => failure !== "");
  request.say(`${fresh.length} asked: ${fresh.length - failed.length} as they must be, ${failed.length} failed`);
  return failed.length === 0 && fresh.length > 0;
}

async function workshopOf({ signal }: OwnRequest, converter: Converter, folder: string): Promise<Workshop> {
  const file = await readProof(committedProof);
  const way = { converter, signal, planOf: planOfProven(converter, file) };
  return {
    converter,
    catalogue: catalogueOf([converter.manifest("prove")], proofOf([file])),
    way,
    studio: {
      folder,
      convert: (engine, input, result) => convert(way, { engine, from: input.format, to: result.format }, input, result),
    },
  };
}

/** Never rejects: an error becomes the row's failure. */
async function figureOf(row: OwnRow, { converter, catalogue, studio, way }: Workshop, ended: AbortSignal): Promise<OwnFigure> {
  const { format, options } = row;
  const result: KnownFile = { path: converter.newPath(format), format, kind: kindOf(format) };
  let known: OwnFigure = {
    ...{ format, source: sourceNames[row.source], options, engine: "" },
    ...{ bytesBefore: 0, bytesAfter: 0, figures: {}, reader: "", failure: "" },
  };
  try {
    const source = await sourceOf(row.source, format, studio);
    const inputBytes = (await stat(source.path)).size;
    const plan = catalogue.plan({ from: format, to: format, options });
    known = { ...known, engine: plan.hops[0]?.engine ?? "", bytesBefore: inputBytes };
    const signal = AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]);
    await converter.run(plan, source.path, result.path, { signal, inputBytes, planOf: way.planOf });
    known = { ...known, bytesAfter: (await stat(result.path)).size };
    const { figures, reader } = await measure({ source, result, options, writer: known.engine, studio });
    known = { ...known, figures: roundedOf(figures), reader };
    return { ...known, failure: failureOf(row, known) };
  } catch (error) {
    return { ...known, failure: messageOf(error) };
  } finally {
    await rm(result.path, { force: true });
  }
}

function roundedOf(figures: OwnFigure["figures"]): OwnFigure["figures"] {
  const rounded = (value: number) => Number(value.toPrecision(3));
  // Counts keep all digits.
  const counted = (value: number) => (Number.isInteger(value) ? value : rounded(value));
  const pairs = Object.entries(figures).map(([name, value]) => [
    name,
    typeof value === "number" ? counted(value) : [counted(value[0]), counted(value[1])],
  ]);
  return Object.fromEntries(pairs);
}

/** Figures outside their limits; empty if there are none. */
export function failureOf({ wants, isSelfRead }: OwnRow, { figures, reader, bytesBefore, bytesAfter }: OwnFigure): string {
  if (reader === "self" && isSelfRead !== true) return "read by its own writer alone";
  const found: OwnFigure["figures"] = { ...figures, weight: bytesAfter / Math.max(1, bytesBefore) };
  const wrong = Object.entries(wants).filter(([name, wanted]) => {
    const value = found[name];
    if (value === undefined) return true;
    const [before, after] = typeof value === "number" ? [value, value] : value;
    return wanted === "same" ? typeof value === "number" || before !== after : !(after >= wanted[0] && after <= wanted[1]);
  });
  return wrong.map(([name, wanted]) => `${name} must be ${wanted === "same" ? "as before" : wanted.join(" to ")}`).join("; ");
}

/** Replaces old measurements with new ones, in table order; drops rows that no longer exist. */
export function mergedFigures(old: readonly OwnFigure[], fresh: readonly OwnFigure[]): readonly OwnFigure[] {
  const known = new Map([...old, ...fresh].map((figure) => [keyOfAsked(figure), figure]));
  return ownRows.flatMap((row) => known.get(keyOfAsked(row)) ?? []);
}
