import { bytes, differs, effectsOf, gains, larger, latin1, loses, smaller, text } from "./effect.ts";

const toJson = { hop: "csv>json", sample: "people.csv" } as const;
const toXml = { hop: "json>xml", sample: "tree.json" } as const;

export const dataEffects = [
  ...effectsOf("data", [
    { hop: "csv>json", sample: "latin.csv", option: "encoding", given: { encoding: "koi8-r" }, figure: text, shows: loses(/Jürgen/) },
    { ...toJson, option: "indent", given: { indent: 0 }, figure: bytes, shows: smaller },
    { hop: "csv>xml", sample: "people.csv", option: "root", given: { root: "quokka" }, figure: text, shows: gains(/<quokka>/) },
    { hop: "csv>xml", sample: "people.csv", option: "item", given: { item: "zebra" }, figure: text, shows: gains(/<zebra>/) },
    { hop: "json>plist", sample: "tree.json", option: "form", given: { form: "binary" }, figure: latin1, shows: gains(/^bplist00/) },
    { ...toJson, option: "header", given: { header: false }, figure: text, shows: gains(/"name"[,\n\s}]/) },
    {
      hop: "json>csv",
      sample: "rows.json",
      option: "outputDelimiter",
      given: { outputDelimiter: "semicolon" },
      figure: text,
      shows: differs,
    },
    { hop: "csv>tsv", sample: "people.csv", option: "bom", given: { bom: true }, figure: latin1, shows: gains(/^\xef\xbb\xbf/) },
    { hop: "csv>parquet", sample: "people.csv", option: "compression", given: { compression: "none" }, figure: bytes, shows: differs },
    { hop: "sqlite>json", sample: "two.sqlite", option: "table", given: { table: "t2" }, figure: text, shows: loses(/"t1"/) },
    { ...toJson, option: "charset", given: { charset: "ascii" }, figure: text, shows: loses(/Ü/) },
    { hop: "csv>json", sample: "latin.csv", option: "delimiter", given: { delimiter: "comma" }, figure: text, shows: gains(/name;age/) },
    {
      hop: "csv>json",
      sample: "marks.csv",
      option: "decimal",
      given: { decimal: "comma" },
      figure: text,
      shows: gains(/1234\.5,\s+"weight": "2,5 t"/),
    },
    { hop: "csv>json", sample: "marks.csv", option: "dateOrder", given: { dateOrder: "dmy" }, figure: text, shows: gains(/"2021-03-04"/) },
    { ...toJson, option: "types", given: { types: "text" }, figure: text, shows: gains(/"7"/) },
    { hop: "fods>json", sample: "book.fods", option: "sheet", given: { sheet: "Costs" }, figure: text, shows: loses(/one/) },
    { hop: "fods>csv", sample: "book.fods", option: "quoteText", given: { quoteText: true }, figure: text, shows: gains(/"one"/) },
    { hop: "json>json", sample: "rows.json", option: "lineEnds", given: { lineEnds: "crlf" }, figure: text, shows: gains(/\r\n/) },
    { hop: "json>json", sample: "keys.json", option: "sortKeys", given: { sortKeys: true }, figure: text, shows: gains(/"a"[\s\S]*"b"/) },
    {
      hop: "csv>csv",
      sample: "people.csv",
      option: "outputEncoding",
      given: { outputEncoding: "windows-1252" },
      figure: latin1,
      shows: gains(/^\xdc/m),
    },
    { ...toXml, option: "indent", given: { indent: 8 }, figure: bytes, shows: larger },
  ]),
  ...effectsOf("archive", [{ hop: "zip>tgz", sample: "files.zip", option: "level", given: { level: 1 }, figure: bytes, shows: larger }]),
  ...effectsOf("mail", [
    { hop: "mbox>eml", sample: "box.mbox", option: "message", given: { message: 2 }, figure: text, shows: gains(/Subject: Two/) },
    { hop: "csv>vcf", sample: "two-ways.csv", option: "delimiter", given: { delimiter: "pipe" }, figure: text, shows: gains(/FN:B/) },
    { hop: "vcf>json", sample: "latin.vcf", option: "encoding", given: { encoding: "koi8-r" }, figure: text, shows: loses(/Jürgen/) },
  ]),
];
