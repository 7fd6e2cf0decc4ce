/** Values that programs tend to change, in tables and trees. */
import fc from "fast-check";
import { digitsOf, doubleSaid, type Said, type SaidMap, type SaidTable } from "./said.ts";

const texts = [
  ..."007|1.10|12E4|1e400|1.000|12,345|0,50|0,5|-3,25|1.234|1.234,5|-0|+5|.5|5.|1_000|0x1F|0b1|0o7|1:30|12:30:45|190:20:30|3/4|04/03/2021|2021-03-04".split(
    "|",
  ),
  ..."2021-03-04T05:06:07Z|20240102|NO|yes|on|Off|y|True|TRUE|null|NULL|~|nan|.NaN|.inf|Infinity|=1+1|+1|-1|@x|=|<<|sep=;|'007".split("|"),
  ...'#x|a #b|;x|a ;b|a: b|a:|- a|-|--- x|...|[x]|{x}|\'|\'\'|"|""|a"b|\\|\\n|a\\|%x|!t|&a|*a|>|?|? x|`|$a|a,b|a;b|x=y|=x|[|]|a.b'.split(
    "|",
  ),
  ..."<b>&amp;</b>|]]>|<!--|&#65;|&|<|9007199254740993|18446744073709551616|0.30000000000000004|0.1234567890123456789".split("|"),
  "|",
  "a|b",
  "",
  " ",
  " a",
  "a ",
  "a  b",
  "\t",
  "a\tb",
  "\n",
  "a\nb",
  "a\r\nb",
  "a\rb",
  "\na",
  "a\n",
  "a\n\n",
  "  a\n b",
  "\u0000",
  "a\u0000b",
  "\u0001",
  "\u001b[1m",
  "\u007f",
  "\u0085",
  "\u00a0",
  "\u00ad",
  "\u200b",
  "\u200f",
  "\u2028",
  "\u2029",
  "\ufeff",
  "\ufeffa",
  "\ufffd",
  "\uffff",
  "שלום",
  "مرحبا 123",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "𝒳",
  "e\u0301",
  "é",
  "İıſß",
  "x".repeat(300),
  `${"ü".repeat(130)} ${"y".repeat(130)}`,
  "_x0041_",
  "__proto__",
  "constructor",
];

const numbers = [
  ..."0 -0 1 -1 42 2147483647 2147483648 -2147483649 4294967296 9007199254740991 9007199254740992 9007199254740993".split(" "),
  ..."-9007199254740993 9223372036854775807 -9223372036854775808 9223372036854775808 18446744073709551615 18446744073709551616".split(" "),
  ..."123456789012345678901234567890 0.1 0.5 -1.5 0.30000000000000004 1e21 1e22 1e-7 1.5e300 5e-324 1.7976931348623157e308".split(" "),
  ..."100000000000000000000 123456789012345.6 1234567890.123456 0.1234567890123456789 12345678901234567.89 1e400 1.25e-9 1234567.891".split(
    " ",
  ),
];
const odd = ["nan", "inf", "-inf"];

const days =
  "0001-01-01 1582-10-10 1890-02-03 1899-12-30 1899-12-31 1900-01-15 1900-02-28 1900-03-01 1904-01-01 1970-01-01 2024-02-29 9999-12-31".split(
    " ",
  );
const clocks = "00:00:00 00:00:01 12:30:45 23:59:59 23:59:59.999 05:06:07.891 05:06:07.123456".split(" ");
const zones = ["Z", "+05:30", "-08:00"];

const number = (text: string): Said => ({ n: digitsOf(text) ?? "0" });
const day = fc.constantFrom(...days);
const clock = fc.constantFrom(...clocks);
const text = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...texts) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: -1e6, max: 1e6 }).map(String) },
);
const double = fc.double({ noNaN: true, noDefaultInfinity: true });

const cells = {
  text: text.map((t): Said => ({ t })),
  word: fc.constantFrom("a", "b", "Zürich").map((t): Said => ({ t })),
  comma: fc.constantFrom("0,5", "-3,25", "12,345", "7").map((t): Said => ({ t })),
  integer: fc.integer().map((value) => doubleSaid(value)),
  number: fc.oneof(fc.constantFrom(...numbers).map(number), double.map(doubleSaid)),
  odd: fc.constantFrom(...odd, "1.5").map(number),
  boolean: fc.boolean() as fc.Arbitrary<Said>,
  day: day.map((s): Said => ({ s })),
  local: fc.tuple(day, clock).map(([date, time]): Said => ({ s: `${date}T${time}` })),
  instant: fc
    .tuple(fc.constantFrom(...days.slice(1, -1)), clock, fc.constantFrom(...zones))
    .map(([...parts]): Said => ({ s: `${parts[0]}T${parts[1]}${parts[2]}` })),
  time: clock.map((s): Said => ({ s })),
  bytes: fc.uint8Array({ maxLength: 20 }).map((bytes): Said => ({ b: Buffer.from(bytes).toString("base64") })),
} satisfies Readonly<Record<string, fc.Arbitrary<Said>>>;
const scalar: fc.Arbitrary<Said> = fc.oneof(fc.constant(null), ...Object.values(cells));

const plainName = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
const name = fc.oneof({ weight: 3, arbitrary: plainName }, { weight: 1, arbitrary: text });

/** Names: letters only, or arbitrary; unique or repeated; possibly empty. */
const columnNames = (count: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.uniqueArray(plainName, { minLength: count, maxLength: count, selector: (each) => each.toLowerCase() }) },
    { weight: 2, arbitrary: fc.uniqueArray(name, { minLength: count, maxLength: count }) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom("a", "A", "", "a_2", " a", "b"), { minLength: count, maxLength: count }) },
  );

const sorts = Object.values(cells);

/** Most columns have one type, as in real tables, with gaps. */
const column = (height: number) =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...sorts) }, { weight: 1, arbitrary: fc.constant(scalar) }).chain((cell) =>
    fc.array(fc.oneof({ weight: 5, arbitrary: cell }, { weight: 1, arbitrary: fc.constant(null) }), {
      minLength: height,
      maxLength: height,
    }),
  );

export const tables: fc.Arbitrary<SaidTable> = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 }))
  .chain(([width, height]) => fc.tuple(columnNames(width), fc.array(column(height), { minLength: width, maxLength: width })))
  .filter(([columns]) => columns.some((each) => each.trim() !== ""))
  .map(([columns, made]) => ({ columns, rows: (made[0] ?? []).map((_, row) => made.map((cell) => cell[row] ?? null)) }));

/** Maps with unique names. */
const mapOf = (value: fc.Arbitrary<Said>, names: fc.Arbitrary<string>): fc.Arbitrary<SaidMap> =>
  fc.uniqueArray(fc.tuple(names, value), { maxLength: 4, selector: ([each]) => each }).map((m) => ({ m }));

const nested = fc.letrec<{ value: Said }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }) as fc.Arbitrary<Said>,
    mapOf(tie("value"), name) as fc.Arbitrary<Said>,
  ),
}));

export const trees: fc.Arbitrary<SaidMap> = fc
  .uniqueArray(fc.tuple(name, nested.value), { minLength: 1, maxLength: 4, selector: ([each]) => each })
  .map((m) => ({ m }));

const settingName = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/);
const settingText = text.filter((each) => /^[^\p{C}\s]([^\p{Cc}]*[^\p{C}\s])?$/u.test(each)).map((t): Said => ({ t }));
const lowercase = (each: string) => each.toLowerCase();

/** Named texts in sections, each on a single line. */
export const settings: fc.Arbitrary<SaidMap> = fc
  .tuple(
    fc.uniqueArray(fc.tuple(settingName, settingText), { minLength: 1, maxLength: 3, selector: ([each]) => lowercase(each) }),
    fc.uniqueArray(
      fc.tuple(
        settingName.map((each) => `s${each}`),
        fc.uniqueArray(fc.tuple(settingName, settingText), { minLength: 1, maxLength: 3, selector: ([each]) => lowercase(each) }),
      ),
      {
        maxLength: 2,
        selector: ([each]) => lowercase(each),
      },
    ),
  )
  .map(([top, sections]) => ({ m: [...top, ...sections.map(([section, m]) => [section, { m }] as const)] }));
