/** Settings as data: name, parser, default and help in one row. Types, checks and documentation are derived from it. */

export type Setting<T> = {
  readonly help: string;
  /** As it would be written in the environment. Undefined: the setting may be unset. */
  readonly default: string | undefined;
  /** The accepted values, for messages and documentation. */
  readonly accepts: string;
  /** Its value is not repeated in messages, which end up in logs. */
  readonly isSecret?: boolean;
  /** Throws an Error whose message completes "NAME must be …". */
  parse(text: string): T;
};

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

type ValueOf<S> = S extends Setting<infer T> & { readonly default: string } ? T : S extends Setting<infer T> ? T | undefined : never;
export type SettingsOf<Table extends SettingTable> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

/** A setting that prevents the start. The message names the variable, its value and what it accepts. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

/** Reads every setting of the table from the environment. */
export function parseSettings<Table extends SettingTable>(
  table: Table,
  env: Readonly<Record<string, string | undefined>>,
): SettingsOf<Table> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, setting] of Object.entries(table)) {
    // An empty value counts as unset.
    const text = env[name] || setting.default;
    try {
      values[name] = text === undefined ? undefined : setting.parse(text);
    } catch {
      const given = setting.isSecret === true ? "" : `, not "${text}"`;
      problems.push(`${name} must be ${setting.accepts}${given}. (${setting.help})`);
    }
  }
  if (problems.length > 0) throw new SettingError(problems.join("\n"));
  return values as SettingsOf<Table>;
}

type Row<D extends string | undefined> = { readonly default: D; readonly help: string };

/** An integer within limits, both inclusive. */
export function integer<D extends string | undefined>(
  row: Row<D> & { min: number; max: number },
): Setting<number> & { readonly default: D } {
  return {
    ...row,
    accepts: `an integer from ${row.min} to ${row.max}`,
    parse(text) {
      const value = Number(text);
      if (!/^-?\d+$/.test(text) || value < row.min || value > row.max) throw new RangeError(text);
      return value;
    },
  };
}

export function text<D extends string | undefined>(
  row: Row<D> & { accepts?: string; pattern?: RegExp; isSecret?: boolean },
): Setting<string> & { readonly default: D } {
  return {
    ...row,
    accepts: row.accepts ?? "text",
    parse(value) {
      if (row.pattern !== undefined && !row.pattern.test(value)) throw new RangeError(value);
      return value;
    },
  };
}

export function choice<const V extends readonly string[], D extends V[number] | undefined>(
  row: Row<D> & { values: V },
): Setting<V[number]> & { readonly default: D } {
  return {
    ...row,
    accepts: `one of ${row.values.join(", ")}`,
    parse(value) {
      if (!row.values.includes(value)) throw new RangeError(value);
      return value;
    },
  };
}

/** Both ends inclusive. */
export type PortRange = { readonly first: number; readonly last: number };

/** Ports and ranges of ports, separated by commas. */
export function ports<D extends string | undefined>(row: Row<D>): Setting<readonly PortRange[]> & { readonly default: D } {
  return {
    ...row,
    accepts: "ports or ranges of ports separated by commas, such as 8443,9000-9099",
    parse(value) {
      return value.split(",").map((part) => {
        const [, from = "", to = from] = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part) ?? [];
        const [first, last] = [Number(from), Number(to)];
        if (first < 1 || last > 65_535 || first > last) throw new RangeError(value);
        return { first, last };
      });
    },
  };
}

/** An absolute http or https URL without a trailing slash. */
export function url<D extends string | undefined>(
  row: Row<D> & { schemes: readonly string[]; orLocal?: boolean },
): Setting<string> & { readonly default: D } {
  return {
    ...row,
    accepts: `${row.orLocal === true ? '"local" or ' : ""}an absolute URL (${row.schemes.join(", ")})`,
    parse(value) {
      if (row.orLocal === true && value === "local") return value;
      const parsed = new URL(value);
      if (!row.schemes.includes(parsed.protocol.replace(":", ""))) throw new RangeError(value);
      return value.replace(/\/{1,100}$/, "");
    },
  };
}
