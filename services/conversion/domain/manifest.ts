/** Turns engines' declarations into the messages that the catalogue reads. */
import { create } from "@bufbuild/protobuf";
import {
  type EngineManifest,
  EngineManifestSchema,
  type ExpectedNote,
  ExpectedNoteSchema,
  type HopManifest,
  HopManifestSchema,
  type PlannedHop,
} from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { Fidelity, type Option, Option_Type, OptionSchema, OptionValueSchema } from "#gen/filemill/common/v1/format_pb.ts";
import type { Engine, Fidelity as FidelityName, Hop, OptionDefinition, OptionValues } from "./engine.ts";
import { expectationsOf } from "./expectations.ts";
import type { Expectation } from "./notes.ts";

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
  const expected = createNoteList();
  const optionsOf = createOptionLists();
  const hops = engine.hops.map((hop) => hopManifestOf(hop, expected, optionsOf));
  return create(EngineManifestSchema, { id, label, version, lane, hops, expectedNotes: expected.list() });
}

function hopManifestOf(hop: Hop, expected: NoteList, optionsOf: (options: Hop["options"]) => Option[]): HopManifest {
  return create(HopManifestSchema, {
    from: hop.from,
    to: hop.to,
    fidelity: fidelities[hop.fidelity],
    cost: hop.cost,
    async: hop.async ?? false,
    maxInputMb: hop.maxInputMb,
    options: optionsOf(hop.options),
    part: hop.part ?? "",
    expectedNotes: expectationsOf(hop)
      .filter(({ option }) => option === undefined)
      .map(expected.placeOf),
  });
}

type NoteList = { placeOf(expectation: Expectation): number; list(): ExpectedNote[] };

/** Thousands of hops share a few expectations. */
function createNoteList(): NoteList {
  const places = new Map<string, number>();
  const notes: ExpectedNote[] = [];
  return {
    placeOf({ code, message, of = "", isOfSource = false }) {
      const key = JSON.stringify([code, message, of, isOfSource]);
      const place = places.get(key) ?? notes.length;
      if (place === notes.length) notes.push(create(ExpectedNoteSchema, { note: { code, message }, of, isOfSource }));
      places.set(key, place);
      return place;
    },
    list: () => notes,
  };
}

/** Shares one list among the hundreds of hops that declare the same options. */
function createOptionLists(): (options: Hop["options"]) => Option[] {
  const lists = new Map<string, Option[]>();
  return (options) => {
    const key = JSON.stringify(options);
    const list = lists.get(key) ?? options.map(optionOf);
    lists.set(key, list);
    return list;
  };
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

/** The planned values of one hop, with the declared defaults for the rest. */
export function hopOptionsOf(planned: PlannedHop, hop: Hop): OptionValues {
  const values: Record<string, string | number | boolean> = {};
  for (const option of hop.options) {
    const value = planned.options[option.name]?.value.value ?? option.default;
    if (value !== undefined) values[option.name] = value;
  }
  return values;
}
