/** Classes DA5 to DA9: data files with lengths, depths, references and programs that readers must not trust. */
import { type Attack, attackOnTo, from } from "./attack.ts";
import { avro, avroLong, database, nestedBson, officeRelations, parquet, relations, workbook } from "./data-files.ts";
import { odf } from "./office-files.ts";

const attack = attackOnTo("data", ["json"]);

const latin = (text: string): Buffer => Buffer.from(text, "latin1");

const merges = `a0: &a0 {k0: v}\n${Array.from({ length: 40 }, (_, level) => `a${level + 1}: &a${level + 1}\n  <<: [*a${level}, *a${level}]\n  k${level + 1}: *a${level}\n`).join("")}`;

export const dataAttacks: readonly Attack[] = [
  attack(
    "DA5-footer",
    "a Parquet file whose description is longer than itself",
    "a.parquet",
    () => parquet(Buffer.alloc(64, 0x15), 0x7fff_fff0),
    "INVALID_INPUT",
  ),
  attack(
    "DA5-columns",
    "a Parquet file of two billion columns",
    "a.parquet",
    () => parquet(Buffer.from(`150219fcffffffff07${"00".repeat(40)}`, "hex")),
    "is bounded",
  ),
  attack(
    "DA5-nulls",
    "an Avro list of 2⁶⁰ nulls, which take no bytes",
    "a.avro",
    () => avro('{"type":"array","items":"null"}', 1n, Buffer.concat([avroLong(2n ** 60n), avroLong(0n)])),
    "is bounded",
  ),
  attack("DA5-rows", "an Avro block of 2⁶⁰ empty rows", "a.avro", () => avro('"null"', 2n ** 60n, Buffer.alloc(0)), "is bounded"),
  attack("DA5-text", "an Avro text of 2⁵⁰ bytes", "a.avro", () => avro('"string"', 1n, avroLong(2n ** 50n)), "INVALID_INPUT"),
  attack(
    "DA5-recursion",
    "an Avro record that holds itself",
    "a.avro",
    () => avro('{"type":"record","name":"R","fields":[{"name":"r","type":"R"}]}', 1n, Buffer.alloc(9)),
    "is bounded",
  ),
  attack("DA5-bson", "BSON documents inside each other, 100,000 deep", "a.bson", () => nestedBson(100_000), "is bounded", from("bson")),
  attack(
    "DA5-bson-length",
    "a BSON document of minus one bytes",
    "a.bson",
    () => Buffer.from("ffffffff0000", "hex"),
    "INVALID_INPUT",
    from("bson"),
  ),
  attack(
    "DA5-cbor",
    "a CBOR list of four billion values",
    "a.cbor",
    () => Buffer.from("9affffffff01", "hex"),
    "INVALID_INPUT",
    from("cbor"),
  ),
  attack(
    "DA5-cbor-depth",
    "CBOR lists inside each other, 500,000 deep",
    "a.cbor",
    () => Buffer.alloc(500_000, 0x81),
    "is bounded",
    from("cbor"),
  ),
  attack(
    "DA5-cbor-tags",
    "CBOR with an address and a pattern that never ends",
    "a.cbor",
    ({ url }) =>
      Buffer.concat([
        Buffer.from("82d82078", "hex"),
        Buffer.from([url.length]),
        latin(url),
        Buffer.from("d8236a", "hex"),
        latin("((a+)+)+b!"),
      ]),
    "converts",
    from("cbor"),
  ),
  attack(
    "DA5-msgpack",
    "a MessagePack map of four billion pairs",
    "a.msgpack",
    () => Buffer.from("dfffffffff01", "hex"),
    "INVALID_INPUT",
    from("msgpack"),
  ),
  attack(
    "DA5-msgpack-depth",
    "MessagePack lists inside each other, 500,000 deep",
    "a.msgpack",
    () => Buffer.alloc(500_000, 0x91),
    "is bounded",
    from("msgpack"),
  ),
  attack(
    "DA6-computed",
    "an SQLite table with a column that is computed as a gigabyte",
    "a.sqlite",
    () => database("CREATE TABLE t(a, b AS (hex(zeroblob(400000000 + a))))", "INSERT INTO t(a) VALUES (1),(2),(3)"),
    "is bounded",
  ),
  attack(
    "DA6-view",
    "an SQLite database whose view counts for ever, and whose trigger loads a library",
    "a.sqlite",
    () =>
      database(
        "CREATE TABLE t(a)",
        "INSERT INTO t VALUES (1)",
        "CREATE VIEW v AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT * FROM v; END",
      ),
    "converts",
  ),
  attack(
    "DA6-schema",
    "an SQLite table with a column that reads a file",
    "a.sqlite",
    () =>
      // Of equal length, so that nothing else in the file moves.
      Buffer.from(
        database("CREATE TABLE t(a, b AS (hex(a||'/etc/passwd--')))", "INSERT INTO t(a) VALUES (1)")
          .toString("latin1")
          .replace("hex(a||'/etc/passwd--')", "readfile('/etc/passwd')"),
        "latin1",
      ),
    "is bounded",
  ),
  attack(
    "DA6-pages",
    "an SQLite header of four billion pages",
    "a.sqlite",
    () => {
      const bytes = database("CREATE TABLE t(a)", "INSERT INTO t VALUES (zeroblob(9000))");
      bytes.writeUInt32BE(0xffff_ffff, 28);
      bytes.writeUInt32BE(0xffff_fff0, 32);
      return bytes;
    },
    "is bounded",
  ),
  attack("DA7-merge", "YAML that merges itself 2⁴⁰ times", "a.yaml", () => merges, "is bounded", { to: ["json", "toml"] }),
  attack("DA7-depth", "YAML lists inside each other, 50,000 deep", "a.yaml", () => `${"- ".repeat(50_000)}a\n`, "is bounded"),
  attack(
    "DA7-tags",
    "YAML with objects of other languages",
    "a.yaml",
    ({ outDir }) =>
      `a: !!python/object/apply:os.system ["touch ${outDir}/yaml"]\nb: !!js/function 'function(){}'\nc: !ruby/object:Gem::Installer {i: x}\n`,
    "is bounded",
  ),
  attack(
    "DA7-toml",
    "TOML lists inside each other, 100,000 deep",
    "a.toml",
    () => `a = ${"[".repeat(100_000)}${"]".repeat(100_000)}\n`,
    "is bounded",
  ),
  attack("DA7-toml-keys", "a TOML name of 100,000 parts", "a.toml", () => `${"a.".repeat(100_000)}a = 1\n`, "is bounded"),
  attack("DA7-json5", "JSON5 of 200,000 levels", "a.json5", () => `${"{a:".repeat(200_000)}1${"}".repeat(200_000)}`, "is bounded"),
  attack("DA7-number", "a number of a million digits", "a.json", () => `{"a": ${"9".repeat(1_000_000)}e${"9".repeat(100)}}`, "is bounded", {
    to: ["yaml", "cbor"],
  }),
  attack(
    "DA7-xml",
    "XML elements inside each other, 200,000 deep",
    "a.xml",
    () => "<a>".repeat(200_000) + "</a>".repeat(200_000),
    "is bounded",
  ),
  attack(
    "DA7-plist",
    "a property list with an entity that is a host's file",
    "a.plist",
    ({ secretFile }) =>
      `<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY x SYSTEM "file://${secretFile}">]><plist version="1.0"><dict><key>a</key><string>&x;</string></dict></plist>`,
    "INVALID_INPUT",
    { isEarly: true },
  ),
  attack(
    "DA7-plist-loop",
    "a binary property list that holds itself",
    "a.plist",
    () => {
      const objects = Buffer.from("a108", "hex");
      const table = Buffer.from([8]);
      const trailer = Buffer.alloc(32);
      trailer.set([0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
      trailer.writeUInt32BE(10, 28);
      return Buffer.concat([latin("bplist00"), objects.fill(0, 1), table, trailer]);
    },
    "is bounded",
    from("plist"),
  ),
  attack(
    "DA8-range",
    "a workbook whose one sheet says that it has 17 billion cells",
    "a.xlsx",
    () => workbook('<dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'),
    "is bounded",
  ),
  attack(
    "DA8-repeat",
    "a sheet that repeats its only cell 10¹² times",
    "a.ods",
    () =>
      odf(
        "spreadsheet",
        '<table:table table:name="a"><table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="1000000" office:value-type="float" office:value="1"/></table:table-row></table:table>',
      ),
    "is bounded",
  ),
  attack(
    "DA8-links",
    "a workbook with cells of a host's file and of an address",
    "a.xlsx",
    ({ url, secretFile }) =>
      workbook(
        `<sheetData><row r="1"><c r="A1"><f>WEBSERVICE("${url}/x")</f><v>1</v></c><c r="B1"><f>[1]a!A1</f><v>2</v></c><c r="C1"><f>cmd|'/c calc'!A1</f><v>3</v></c></row></sheetData>`,
        [
          {
            name: "xl/externalLinks/_rels/externalLink1.xml.rels",
            content: relations(
              `<Relationship Id="r1" Type="${officeRelations}/externalLinkPath" Target="file://${secretFile}" TargetMode="External"/>`,
            ),
          },
          {
            name: "xl/externalLinks/externalLink1.xml",
            content: `<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><externalBook xmlns:r="${officeRelations}" r:id="r1"><sheetNames><sheetName val="a"/></sheetNames></externalBook></externalLink>`,
          },
        ],
        `<Relationship Id="r2" Type="${officeRelations}/externalLink" Target="externalLinks/externalLink1.xml"/>`,
      ),
    "converts",
  ),
  attack("DA9-columns", "a line of a million columns", "a.csv", () => `${"a,".repeat(1_000_000)}a\n1\n`, "is bounded", {
    to: ["json", "parquet"],
  }),
  attack("DA9-quote", "a quote that is never closed, in ten megabytes", "a.csv", () => `a,b\n"${"x,\n".repeat(3_000_000)}`, "is bounded"),
];
