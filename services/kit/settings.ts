/** Every setting of Filemill, once. The README's table is generated from this one. */
import { choice, integer, type SettingsOf, text, url } from "./config.ts";

export const settingTable = {
  HOST: text({ default: "127.0.0.1", help: "Address the gateway listens on" }),
  PORT: integer({ default: "8080", min: 0, max: 65_535, help: "Port the gateway listens on; 0 takes a free one" }),
  PUBLIC_URL: url({
    default: undefined,
    schemes: ["http", "https"],
    help: "Prefix of `download` and `status_url`; unset: derived from the request",
  }),
  MAX_CONNECTIONS_PER_CLIENT: integer({
    default: "512",
    min: 1,
    max: 1_000_000,
    help: "Open connections of one address (IPv6: of one /64) above which new ones are closed; a reverse proxy is one address",
  }),
  DATA_DIR: text({ default: "./data", help: "Broker store, blobs and scratch; deleting it is a factory reset" }),
  LOG_LEVEL: choice({
    default: "info",
    values: ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    help: "Least level of the JSON log lines on standard error",
  }),
  PLANS_FILE: text({ default: undefined, help: "JSON file with this deployment's plans; unset: `free` and `plus`" }),
  SIGN_UP: choice({
    default: "open",
    values: ["open", "closed"],
    help: "Whether people may create their own account, of the plan `free`; `closed`: only the operator's commands do",
  }),
  GUESTS: choice({
    default: "on",
    values: ["on", "off"],
    help: "Whether the converter page works without an account, within the plan `free`, whose requests are then counted by address",
  }),
  INLINE_WAIT_MS: integer({ default: "10000", min: 0, max: 60_000, help: "How long POST /convert waits for a job before it answers 202" }),
  RETENTION_SECONDS: integer({ default: "86400", min: 1, max: 2_592_000, help: "How long a result is kept where the plan does not say" }),
  MAX_UNFINISHED_JOBS: integer({
    default: "1000",
    min: 1,
    max: 100_000,
    help: "Unfinished jobs of all accounts above which new ones are refused with 503",
  }),
  MAX_ATTEMPTS: integer({ default: "3", min: 1, max: 10, help: "Attempts at a job before it fails for good" }),
  LEASE_MS: integer({
    default: "30000",
    min: 1000,
    max: 600_000,
    help: "Time without a heartbeat after which another worker may take over a job",
  }),
  CONVERSION_TIMEOUT_MS: integer({
    default: "120000",
    min: 1000,
    max: 3_600_000,
    help: "Wall-clock limit of one inline hop; async hops have ten times as much",
  }),
  MIN_FREE_DISK_MB: integer({
    default: "512",
    min: 0,
    max: 1_000_000,
    help: "Free space under DATA_DIR below which uploads are refused with 503",
  }),
  DRAIN_MS: integer({ default: "20000", min: 0, max: 600_000, help: "How long SIGTERM lets requests and jobs finish" }),
  IMAGE_SLOTS: integer({ default: "2", min: 0, max: 64, help: "Pictures converted at once (0: none on this node)" }),
  DOCUMENT_SLOTS: integer({ default: "2", min: 0, max: 64, help: "Text and PDF documents converted at once" }),
  OFFICE_SLOTS: integer({ default: "2", min: 0, max: 64, help: "Office documents converted at once, each by its own warm LibreOffice" }),
  MEDIA_SLOTS: integer({ default: "2", min: 0, max: 64, help: "Sound and film files converted at once" }),
  JOB_MEMORY_MB: integer({ default: "2048", min: 256, max: 262_144, help: "Memory limit of one engine run" }),
  ALL_ENGINES: choice({
    default: "false",
    values: ["false", "true"],
    help: "`true` makes `npm start` install the tools of every engine and not only the everyday ones, as `--all-engines` does",
  }),
  SANDBOX: choice({
    default: "required",
    values: ["required", "degraded"],
    help: "`degraded` allows engines with Landlock and seccomp only, where namespaces cannot be had",
  }),
  SANDBOX_UID: integer({
    default: "61800",
    min: 1000,
    max: 4_000_000_000,
    help: "First of 100 user ids that engines run under when Filemill itself runs as root",
  }),
  NATS_URL: text({
    default: undefined,
    pattern: /^(nats|tls):\/\/\S+$/,
    accepts: "nats:// or tls:// URLs separated by commas",
    help: "NATS server or cluster with JetStream, credentials in the URL; unset: an embedded one under DATA_DIR",
  }),
  RPC_HOST: text({ default: "127.0.0.1", help: "Address the internal services listen on (Connect, gRPC, gRPC-Web)" }),
  RPC_PORT: integer({ default: "8081", min: 0, max: 65_535, help: "Port of the internal services; 0 takes a free one" }),
  RPC_TOKEN: text({
    default: undefined,
    pattern: /^\S{16,}$/,
    accepts: "at least 16 characters without spaces",
    help: "Bearer token of the internal services; needed when RPC_HOST is not a loopback address",
  }),
  CATALOGUE_ADDRESS: url({
    default: "local",
    schemes: ["http", "https"],
    orLocal: true,
    help: "Where the catalogue service is: in this process, or its RPC URL",
  }),
  JOB_ADDRESS: url({ default: "local", schemes: ["http", "https"], orLocal: true, help: "Where the job service is" }),
  CONVERSION_ADDRESS: url({ default: "local", schemes: ["http", "https"], orLocal: true, help: "Where the conversion service is" }),
  ACCOUNT_ADDRESS: url({ default: "local", schemes: ["http", "https"], orLocal: true, help: "Where the account service is" }),
} as const;

export type Settings = SettingsOf<typeof settingTable>;
