/** Structured data: trees, tables and workbooks, converted into each other by npm libraries in a sandboxed worker. */
import { workerEngine } from "../shared/node-worker.ts";
import { dataHops } from "./data-hops.ts";

const worker = {
  work: "data",
  packages: [
    "yaml",
    "jsonc-parser",
    "json5",
    "smol-toml",
    "fast-xml-parser",
    "papaparse",
    "dot-properties",
    "plist",
    "@msgpack/msgpack",
    "cbor2",
    "bson",
    "hyparquet",
    "hyparquet-writer",
    "hyparquet-compressors",
    "avsc",
    "@e965/xlsx",
    "@bufbuild/protobuf",
    "mdb-reader",
    "chardet",
  ],
};

export const dataEngine = workerEngine(worker, {
  id: "data",
  label: "Filemill data",
  lane: "document",
  hops: dataHops,
});
