/** Every setting of Filemill, once. The README's table is generated from this one. */
import { choice, integer, ports, type SettingsOf, text, url } from "./config.ts";

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
    help: "Open connections of one address (IPv6: of one /64); one more closes its oldest idle one, or is closed. A reverse proxy is one address",
  }),
  DATA_DIR: text({ default: "./data", help: "Broker store, blobs and scratch, all on one file system; deleting it is a factory reset" }),
  LOG_LEVEL: choice({
    default: "info",
    values: ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    help: "Least level of the JSON log lines on standard error",
  }),
  PROOF_FILE: text({
    default: undefined,
    help: "What `npm run prove -- --local` measured on this machine, over what came with Filemill; unset: `proof.tsv` under DATA_DIR",
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
  OIDC_ISSUER: url({
    default: undefined,
    schemes: ["https", "http"],
    help: "OpenID Connect provider that people may sign in with (http on this host only); its callback address is `/auth/oidc/callback`",
  }),
  OIDC_CLIENT_ID: text({ default: undefined, help: "Client id that the provider gave Filemill" }),
  OIDC_CLIENT_SECRET: text({ default: undefined, help: "Client secret; unset: a public client, bound by PKCE alone" }),
  OIDC_LABEL: text({ default: "Single sign-on", help: "What the button says" }),
  OIDC_PLAN: text({ default: "free", help: "Plan of accounts that are created at their first sign-in by the provider" }),
  OIDC_ALLOWED_DOMAINS: text({
    default: undefined,
    pattern: /^\s*[\w-]+(\.[\w-]+)*\s*(,\s*[\w-]+(\.[\w-]+)*\s*)*$/,
    accepts: "domains separated by commas",
    help: "Domains whose verified e-mail addresses may sign in by the provider; unset: all",
  }),
  TRUSTED_PROXIES: text({
    default: undefined,
    pattern: /^[0-9A-Fa-f.:/]+(,[0-9A-Fa-f.:/]+)*$/,
    accepts: "IP addresses or networks separated by commas",
    help: "Reverse proxies whose X-Forwarded-For tells the client's address, by which guests and sign-ins are counted; unset: none",
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
    help: "Time without a heartbeat after which another worker may take over a job whose worker is not known to be dead",
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
    help: "Bearer token that every call to the internal services carries; unset: made by the first start, in `rpc-token` under DATA_DIR",
  }),
  RPC_SOCKET: text({
    default: undefined,
    help: "Unix socket of the internal services beside RPC_PORT, for their own user alone; unset: `rpc.sock` under DATA_DIR, of `npm start`",
  }),
  WEBHOOK_PRIVATE_ADDRESSES: choice({
    default: "refused",
    values: ["refused", "allowed"],
    help: "`allowed` lets webhooks call http and addresses of this network, and with them what only this network should reach",
  }),
  WEBHOOK_PORTS: ports({
    default: undefined,
    help: "Ports that webhooks may call beside 443 (and 80 where WEBHOOK_PRIVATE_ADDRESSES allows http); unset: none",
  }),
  WEBHOOK_RETRY_SECONDS: text({
    default: "5,300,1800,7200,18000,36000,50400,72000,86400",
    pattern: /^\d{1,6}(,\d{1,6}){0,19}$/,
    accepts: "up to 20 numbers of seconds separated by commas",
    help: "Pauses between the attempts at a webhook that did not answer 2xx, each 20 % more or less",
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
  WEBHOOK_ADDRESS: url({ default: "local", schemes: ["http", "https"], orLocal: true, help: "Where the webhook service is" }),
} as const;

export type Settings = SettingsOf<typeof settingTable>;
