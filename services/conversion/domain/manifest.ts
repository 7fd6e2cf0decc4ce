/** Engines' declarations as the messages that the catalogue reads. */
import { create } from "@bufbuild/protobuf";
import {
  type EngineManifest,
  EngineManifestSchema,
  type HopManifest,
  HopManifestSchema,
  type PlannedHop,
} from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { Fidelity, type Option, Option_Type, OptionSchema, OptionValueSchema } from "#gen/filemill/common/v1/format_pb.ts";
import type { Engine, Fidelity as FidelityName, Hop, OptionDefinition, OptionValues } from "./engine.ts";

const fidelities = {
  lossless: Fidelity.LOSSLESS,
  high: Fidelity.HIGH,
  reduced: Fidelity.REDUCED,
  extract: Fidelity.EXTRACT,
} as const satisfies Record<FidelityName, Fidelity>;

const optionTypes = {
  integer: Option_Type.INTEGER,
  number: Option_Type.NUMBER,
  string: Option_Type.STRING,
  boolean: Option_Type.BOOLEAN,
  enum: Option_Type.ENUM,
} as const satisfies Record<OptionDefinition["type"], Option_Type>;

export function engineManifestOf(engine: Engine, version: string): EngineManifest {
  const { id, label, lane } = engine;
  return create(EngineManifestSchema, { id, label, version, lane, hops: engine.hops.map(hopManifestOf) });
}

function hopManifestOf(hop: Hop): HopManifest {
  return create(HopManifestSchema, {
    from: hop.from,
    to: hop.to,
    fidelity: fidelities[hop.fidelity],
    cost: hop.cost,
    async: hop.async,
    maxInputMb: hop.maxInputMb,
    options: hop.options.map(optionOf),
    part: hop.part ?? "",
  });
}

function optionOf(option: OptionDefinition): Option {
  const message = create(OptionSchema, { name: option.name, type: optionTypes[option.type], description: option.description });
  switch (option.type) {
    case "integer":
    case "number":
      message.min = option.min;
      message.max = option.max;
      message.unit = option.unit ?? "";
      break;
    case "enum":
      message.values = [...option.values];
      break;
    case "string":
      message.pattern = option.pattern;
      break;
    case "boolean":
      break;
  }
  if (option.default !== undefined) message.defaultValue = create(OptionValueSchema, { value: valueCaseOf(option.default) });
  return message;
}

function valueCaseOf(value: string | number | boolean) {
  if (typeof value === "number") return { case: "number" as const, value };
  if (typeof value === "boolean") return { case: "flag" as const, value };
  return { case: "text" as const, value };
}

/** The planned values of one hop, with the declaration's defaults where the plan says nothing. */
export function hopOptionsOf(planned: PlannedHop, hop: Hop): OptionValues {
  const values: Record<string, string | number | boolean> = {};
  for (const option of hop.options) {
    const value = planned.options[option.name]?.value.value ?? option.default;
    if (value !== undefined) values[option.name] = value;
  }
  return values;
}
