/** Small manifests, written as `from>to` with only the facts a test is about. */
import { create } from "@bufbuild/protobuf";
import { type Manifest, ManifestSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { Fidelity, type Option, Option_Type, OptionSchema } from "#gen/filemill/common/v1/format_pb.ts";
import type { Proofs } from "#services/catalogue/index.ts";

/** Without proofs, everything announced is listed. */
export const nothingProven: Proofs = { read: async () => undefined, state: async () => ({ stamp: "", proving: undefined }) };

export type HopFacts = {
  readonly fidelity?: keyof typeof Fidelity;
  readonly cost?: number;
  readonly async?: boolean;
  readonly maxInputMb?: number;
  readonly options?: readonly Option[];
};

export type EngineFacts = { readonly lane?: string; readonly hops: Readonly<Record<string, HopFacts>> };

export function manifestOf(node: string, engines: Readonly<Record<string, EngineFacts>>): Manifest {
  return create(ManifestSchema, {
    node,
    sandbox: "full",
    engines: Object.entries(engines).map(([id, { lane = "image", hops }]) => ({
      id,
      label: id,
      version: "1",
      lane,
      hops: Object.entries(hops).map(([pair, { fidelity = "HIGH", cost = 100, async = false, maxInputMb = 100, options = [] }]) => {
        const [from = "", to = ""] = pair.split(">");
        return { from, to, fidelity: Fidelity[fidelity], cost, async, maxInputMb, options: [...options] };
      }),
    })),
  });
}

export function integerOption(name: string, min: number, max: number, description = name): Option {
  return create(OptionSchema, { name, type: Option_Type.INTEGER, min, max, description });
}
