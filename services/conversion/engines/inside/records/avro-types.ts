/** Avro's logical types as values, and longs with all digits. @see https://avro.apache.org/docs/1.12.0/specification/#logical-types */
import avro from "avsc";
import { clockOf, dayOf, scaled, signedOf, stampOfUnits, uuidTextOf } from "./parquet-types.ts";
import { Exact, numberOf, Stamp } from "./values.ts";

/** Longs as bigints, which the library leaves to its callers. */
const longType = avro.types.LongType.__with({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64LE(value);
    return buffer;
  },
  fromJSON: BigInt,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === "bigint",
  compare: (a: bigint, b: bigint) => (a === b ? 0 : a < b ? -1 : 1),
});

type Schema = {
  readonly type: unknown;
  readonly logicalType?: unknown;
  readonly precision?: number;
  readonly scale?: number;
  readonly size?: number;
};
type Facts = {
  /** Whether the underlying type is one that the logical type allows; otherwise the logical type is ignored. */
  readonly fits: (schema: Schema) => boolean;
  readonly read: (raw: unknown, schema: Schema) => unknown;
  readonly write?: (value: unknown) => unknown;
};

const digits = { millis: 3, micros: 6, nanos: 9 } as const;

/** Fractions of a second since 1970. */
export function unitsOf(value: unknown, places: number): bigint | undefined {
  if (!(value instanceof Stamp)) return undefined;
  const fraction = /\.(\d+)/.exec(value.text)?.[1] ?? "";
  return (
    BigInt(Date.parse(value.text.replace(/\.\d+/, ""))) * 10n ** BigInt(places - 3) + BigInt(fraction.padEnd(places, "0").slice(0, places))
  );
}

function durationOf(raw: unknown): unknown {
  if (!(raw instanceof Uint8Array) || raw.length !== 12) return raw;
  const [months, days, milliseconds] = [0, 4, 8].map((at) => Buffer.from(raw).readUInt32LE(at));
  return new Stamp(`P${months}M${days}DT${(milliseconds ?? 0) / 1000}S`, false);
}

const on =
  (type: string, size?: number) =>
  (schema: Schema): boolean =>
    schema.type === type && (size === undefined || schema.size === size);

function fitsDecimal({ type, precision = 0, scale = 0 }: Schema): boolean {
  const isWhole = Number.isInteger(precision) && Number.isInteger(scale);
  return (type === "bytes" || type === "fixed") && isWhole && precision > 0 && scale >= 0 && scale <= precision;
}

const facts: Readonly<Record<string, Facts>> = {
  decimal: {
    fits: fitsDecimal,
    read: (raw, { scale = 0 }) => numberOf(scaled(signedOf(raw), scale)),
    write: (value) => (value instanceof Exact ? undefined : value),
  },
  date: { fits: on("int"), read: (raw) => new Stamp(dayOf(BigInt(String(raw))), false) },
  duration: { fits: on("fixed", 12), read: durationOf },
  uuid: { fits: on("fixed", 16), read: (raw) => (raw instanceof Uint8Array ? uuidTextOf(raw) : raw) },
  "time-millis": { fits: on("int"), read: (raw) => new Stamp(clockOf(BigInt(String(raw)), 3), false) },
  "time-micros": { fits: on("long"), read: (raw) => new Stamp(clockOf(BigInt(String(raw)), 6), false) },
  ...Object.fromEntries(
    Object.entries(digits).flatMap(([unit, places]): [string, Facts][] => [
      [
        `timestamp-${unit}`,
        { fits: on("long"), read: (raw) => stampOfUnits(BigInt(String(raw)), places), write: (value) => unitsOf(value, places) },
      ],
      [`local-timestamp-${unit}`, { fits: on("long"), read: (raw) => stampOfUnits(BigInt(String(raw)), places, true) }],
    ]),
  ),
};

function logicalTypeOf({ fits, read, write }: Facts) {
  return class extends avro.types.LogicalType {
    readonly #schema: Schema;
    constructor(schema: Schema, options: object) {
      // The library then falls back to the underlying type, as the specification requires.
      if (!fits(schema)) throw new Error("The logical type does not fit its type.");
      super(schema as never, options);
      this.#schema = schema;
      if (schema.type === "long") Object.assign(this, { _underlyingType: longType });
    }
    override _fromValue(raw: unknown) {
      return read(raw, this.#schema);
    }
    override _toValue(value: unknown) {
      return write?.(value);
    }
    override _resolve() {
      return undefined;
    }
  };
}

type AnySchema = Schema & { fields?: readonly { readonly default?: unknown }[] };

/** Keeps all digits of longs, even under other attributes, and drops defaults, which reading never needs. */
function typeHook(schema: AnySchema | string): unknown {
  if (typeof schema === "string") return undefined;
  if (Array.isArray(schema.fields)) schema.fields = schema.fields.map(({ default: _, ...field }) => field);
  const isLogical = facts[String(schema.logicalType)]?.fits(schema) === true;
  return schema.type === "long" && !isLogical ? longType : undefined;
}

/** Built anew for each schema: the library keeps the names that it has seen. */
export const avroOptions = () => ({
  registry: { long: longType },
  typeHook,
  logicalTypes: Object.fromEntries(Object.entries(facts).map(([name, each]) => [name, logicalTypeOf(each)])),
});

/** For values in their stored form: longs as bigints, decimals as bytes. */
export const avroWriting = () => ({
  registry: { long: longType },
  logicalTypes: Object.fromEntries(Object.keys(facts).map((name) => [name, AsStored])),
});

class AsStored extends avro.types.LogicalType {
  readonly #attributes: Readonly<Record<string, unknown>>;
  constructor(schema: { readonly type: string; readonly logicalType?: string }, options: object) {
    super(schema as never, options);
    const { type, logicalType: _, ...attributes } = schema;
    this.#attributes = attributes;
    if (type === "long") Object.assign(this, { _underlyingType: longType });
  }
  override _fromValue(raw: unknown) {
    return raw;
  }
  override _toValue(value: unknown) {
    return value;
  }
  override _resolve() {
    return undefined;
  }
  // For example the scale of a decimal.
  override _export(schema: avro.Schema): void {
    if (typeof schema === "object") Object.assign(schema, this.#attributes);
  }
}
