import { create } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { type Manifest, ManifestSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { OneOffConverter } from "../domain/converter.ts";
import { engineManifestOf } from "../domain/manifest.ts";
import {
  type ConverterParts,
  createLiveEngine,
  createRunner,
  type FoundEngine,
  foundOf,
  type LiveEngine,
  probe,
  remember,
  statusOf,
} from "./converter.ts";

/** Probes and opens nothing before a plan needs it. For a process that converts one file. */
export function createOneOffConverter(parts: ConverterParts): Omit<OneOffConverter, "tell"> {
  const probes = new Map<string, Promise<FoundEngine>>();
  const found = new Map<string, FoundEngine>();
  const live = new Map<string, LiveEngine>();
  const seen = new Map<string, string>();

  async function look(engine: ConverterParts["engines"][number], find = foundOf): Promise<FoundEngine> {
    const looking = probes.get(engine.id) ?? find(engine, parts);
    probes.set(engine.id, looking);
    const result = await looking;
    found.set(engine.id, result);
    if (result.version !== undefined) seen.set(engine.id, result.version);
    if (result.version !== undefined && !live.has(engine.id)) live.set(engine.id, createLiveEngine(engine, parts));
    return result;
  }

  /** The requested hops of every engine that is not known to be absent. */
  function declared(serves: (from: string, to: string) => boolean = () => true): Manifest {
    const possible = parts.engines.filter(({ id }) => found.get(id)?.version !== undefined || !found.has(id));
    const concerned = possible.flatMap((engine) => {
      const hops = engine.hops.filter(({ from, to }) => serves(from, to));
      return hops.length === 0 ? [] : [{ ...engine, hops }];
    });
    const engines = concerned.map((engine) => engineManifestOf(engine, found.get(engine.id)?.version ?? ""));
    return create(ManifestSchema, { node: "one-off", announcedAt: timestampNow(), sandbox: parts.sandbox.mode, engines });
  }

  return {
    ...createRunner(parts, (id) => live.get(id)),
    async plan(choose, serves) {
      for (;;) {
        const plan = choose(declared(serves));
        const needed = parts.engines.filter(({ id }) => plan.hops.some((hop) => hop.engine === id));
        // An engine that has not been probed may be absent, or in a version whose routes nobody proved.
        if (needed.every(({ id }) => found.has(id))) return plan;
        await Promise.all(needed.map((engine) => look(engine)));
        await parts.known?.remember(seen, true);
      }
    },
    engines: async () => (await Promise.all(parts.engines.map((engine) => look(engine, probe)))).map(statusOf),
    async manifest() {
      const all = await Promise.all(parts.engines.map((engine) => look(engine)));
      await remember(all, parts);
      return declared();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...live.values()].map((engine) => engine.close()));
    },
  };
}
