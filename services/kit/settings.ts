/** Every setting of Filemill, once. The table in services/REFERENCE.md is generated from it. */
import { choice, integer, ports, type SettingsOf, text, url } from "./config.ts";

const addressOf = (service: string) =>
  url({
    default: "local",
    schemes: ["http", "https"],
    orLocal: true,
    help: `RPC URL of the ${service} service; \`local\`: in this process`,
  });

export const settingTable = {
  HOST: text({ default: "127.0.0.1", help: "Address the gateway listens on" }),
  PORT: integer({ default: "8080", min: 0, max: 65_535, help: "Port the gateway listens on; 0 picks a free one" }),
  PUBLIC_URL: url({
    default: undefined,
    schemes: ["http", "https"],
    help: "Base URL for `download` and `status_url`. Unset: taken from the request",
  }),
  ALLOWED_HOSTS: text({
    default: undefined,
    pattern: /^[A-Za-z0-9.:[\]_-]+(,[A-Za-z0-9.:[\]_-]+)*$/,
    accepts: "host names or addresses separated by commas",
    help: "Host names that requests may use, besides localhost and the host of PUBLIC_URL. Unset: none when HOST is a loopback address, all otherwise",
  }),
  MAX_CONNECTIONS_PER_CLIENT: integer({
    default: "512",
    min: 1,
    max: 1_000_000,
    help: "Open connections per client address (IPv6: per /64). At the limit, a new connection replaces the oldest idle one, or is closed. A reverse proxy counts as one address",
  }),
  DATA_DIR: text({
    default: "./data",
    help: "Broker store, blobs and scratch space, all on one file system. Deleting it is a factory reset",
  }),
  BLOBS: text({
    default: undefined,
    pattern: /^(\/.+|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[A-Za-z0-9._/-]*)?)$/,
    accepts: "an absolute path, or s3://BUCKET or s3://BUCKET/PREFIX",
    help: "Where several hosts share files: a folder that all of them mount, or a bucket. Unset: `blobs` under DATA_DIR, for one host",
  }),
  S3_ENDPOINT: url({
    default: undefined,
    schemes: ["https", "http"],
    help: "S3 server of the bucket in BLOBS, addressed by path instead of by host name. Unset: Amazon's",
  }),
  S3_REGION: text({ default: "us-east-1", help: "Region of the bucket" }),
  S3_ACCESS_KEY_ID: text({
    default: undefined,
    help: "Access key for the bucket. Unset: whatever the AWS client finds, such as AWS_ACCESS_KEY_ID or the machine's role",
  }),
  S3_SECRET_ACCESS_KEY: text({ default: undefined, help: "Secret of that access key" }),
  LOG_LEVEL: choice({
    default: "info",
    values: ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    help: "Lowest level logged, as JSON lines on standard error",
  }),
  PROOF_FILE: text({
    default: undefined,
    help: "Proofs that `npm run prove -- --local` made on this machine; they take precedence over those that ship with Filemill. Unset: `proof.tsv` under DATA_DIR",
  }),
  PROVING: choice({
    default: "on",
    values: ["on", "off"],
    help: "Proves conversions in the background, at the lowest priority, when no proof covers the engine versions on this machine",
  }),
  PLANS_FILE: text({ default: undefined, help: "JSON file with this deployment's plans. Unset: `free` and `plus`" }),
  SIGN_UP: choice({
    default: "open",
    values: ["open", "closed"],
    help: "Whether people can create their own account, on the plan `free`. `closed`: the operator creates accounts",
  }),
  GUESTS: choice({
    default: "on",
    values: ["on", "off"],
    help: "Whether the converter page works without an account. Guests get the plan `free`, with requests counted by IP address",
  }),
  LINKS: choice({
    default: "on",
    values: ["on", "off"],
    help: "Whether accounts can share a result by a link. A share link ends when it expires, is used up or revoked, or when its result is deleted. `off` also disables existing links",
  }),
  OIDC_ISSUER: url({
    default: undefined,
    schemes: ["https", "http"],
    help: "OpenID Connect provider for single sign-on (http only on this host). The callback path is `/auth/oidc/callback`",
  }),
  OIDC_CLIENT_ID: text({ default: undefined, help: "Client ID issued by the provider" }),
  OIDC_CLIENT_SECRET: text({ default: undefined, help: "Client secret. Unset: a public client that relies on PKCE" }),
  OIDC_LABEL: text({ default: "Single sign-on", help: "Label of the sign-in button" }),
  OIDC_PLAN: text({ default: "free", help: "Plan for accounts created at their first single sign-on" }),
  OIDC_ALLOWED_DOMAINS: text({
    default: undefined,
    pattern: /^\s*[\w-]+(\.[\w-]+)*\s*(,\s*[\w-]+(\.[\w-]+)*\s*)*$/,
    accepts: "domains separated by commas",
    help: "E-mail domains whose verified addresses may use single sign-on. Unset: all",
  }),
  TRUSTED_PROXIES: text({
    default: undefined,
    pattern: /^[0-9A-Fa-f.:/]+(,[0-9A-Fa-f.:/]+)*$/,
    accepts: "IP addresses or networks separated by commas",
    help: "Reverse proxies whose X-Forwarded-For is trusted for the client address, by which guests and sign-ins are counted. Unset: none",
  }),
  INLINE_WAIT_MS: integer({
    default: "10000",
    min: 0,
    max: 60_000,
    help: "How long POST /convert waits for a job before it answers 202, in milliseconds",
  }),
  RETENTION_SECONDS: integer({ default: "86400", min: 1, max: 2_592_000, help: "How long results are kept if the plan does not say" }),
  MAX_UNFINISHED_JOBS: integer({
    default: "1000",
    min: 1,
    max: 100_000,
    help: "Unfinished jobs across all accounts; above it, new jobs are refused with 503",
  }),
  MAX_ATTEMPTS: integer({ default: "3", min: 1, max: 10, help: "Attempts per job before it fails for good" }),
  LEASE_MS: integer({
    default: "30000",
    min: 1000,
    max: 600_000,
    help: "Milliseconds without a heartbeat before another worker may take over a job whose worker is not known to be dead",
  }),
  CONVERSION_TIMEOUT_MS: integer({
    default: "120000",
    min: 1000,
    max: 3_600_000,
    help: "Wall-clock limit of one inline hop, in milliseconds; async hops get ten times as much",
  }),
  MIN_FREE_DISK_MB: integer({
    default: "512",
    min: 0,
    max: 1_000_000,
    help: "Free disk space under DATA_DIR; below it, uploads are refused with 503",
  }),
  GUEST_RESERVE_MB: integer({
    default: "2048",
    min: 0,
    max: 1_000_000,
    help: "Free disk space on top of MIN_FREE_DISK_MB that guests cannot use. Below it, guests are refused with 503 and their results are deleted, oldest first",
  }),
  METRICS_TOKEN: text({
    default: undefined,
    pattern: /^\S{16,}$/,
    accepts: "at least 16 characters without spaces",
    isSecret: true,
    help: "Bearer token for reading `/metrics` from other hosts. Unset: readable from this host only",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url({
    default: undefined,
    schemes: ["http", "https"],
    help: "OTLP/HTTP endpoint for traces and metrics (`/v1/traces` and `/v1/metrics` are appended). Unset: none are sent. OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES also apply",
  }),
  OTEL_METRIC_EXPORT_INTERVAL: integer({
    default: "60000",
    min: 100,
    max: 3_600_000,
    help: "Interval between OTLP metric exports, in milliseconds",
  }),
  DRAIN_MS: integer({
    default: "20000",
    min: 0,
    max: 600_000,
    help: "How long requests and jobs may take to finish after SIGTERM, in milliseconds",
  }),
  WATCHDOG_MS: integer({
    default: "30000",
    min: 0,
    max: 600_000,
    help: "How long a serving process may hang before it is restarted, in milliseconds; 0: no limit",
  }),
  IMAGE_SLOTS: integer({ default: "2", min: 0, max: 64, help: "Pictures converted at the same time; 0: none on this host" }),
  DOCUMENT_SLOTS: integer({ default: "2", min: 0, max: 64, help: "Text and PDF documents converted at the same time" }),
  OFFICE_SLOTS: integer({
    default: "2",
    min: 0,
    max: 64,
    help: "Office documents converted at the same time, each by its own LibreOffice; one LibreOffice is kept warm",
  }),
  MEDIA_SLOTS: integer({ default: "2", min: 0, max: 64, help: "Audio and video files converted at the same time" }),
  JOB_MEMORY_MB: integer({ default: "2048", min: 256, max: 262_144, help: "Memory limit of one engine run" }),
  ALL_ENGINES: choice({
    default: "false",
    values: ["false", "true"],
    help: "`true` makes `npm start` install the tools of every engine instead of only the everyday ones, like `--all-engines`",
  }),
  SANDBOX: choice({
    default: "required",
    values: ["required", "degraded"],
    help: "`degraded` lets engines run with Landlock and seccomp only, where namespaces are not available",
  }),
  SANDBOX_UID: integer({
    default: "61800",
    min: 1000,
    max: 4_000_000_000,
    help: "First of the 500 user IDs that engines run as when Filemill itself runs as root",
  }),
  NATS_URL: text({
    default: undefined,
    pattern: /^(nats|tls):\/\/\S+$/,
    accepts: "nats:// or tls:// URLs separated by commas",
    isSecret: true,
    help: "NATS server or cluster with JetStream; user and password go in the URL. Unset: an embedded server under DATA_DIR",
  }),
  NATS_REPLICAS: integer({
    default: undefined,
    min: 1,
    max: 5,
    help: "Copies of each stream in the cluster. Unset: 3 when three servers are up. Streams that have more copies keep them",
  }),
  NATS_CREDS: text({ default: undefined, help: "NATS credentials file (JWT and key)" }),
  NATS_CA: text({
    default: undefined,
    help: "CA certificate (PEM file) for the NATS servers. Unset: Node's built-in CAs",
  }),
  NATS_CERT: text({ default: undefined, help: "Client certificate (PEM file) for NATS" }),
  NATS_KEY: text({ default: undefined, help: "Private key (PEM file) of NATS_CERT" }),
  RPC_HOST: text({ default: "127.0.0.1", help: "Address the internal services listen on (Connect, gRPC, gRPC-Web)" }),
  RPC_PORT: integer({ default: "8081", min: 0, max: 65_535, help: "Port of the internal services; 0 picks a free one" }),
  RPC_TOKEN: text({
    default: undefined,
    pattern: /^\S{16,}$/,
    accepts: "at least 16 characters without spaces",
    isSecret: true,
    help: "Bearer token for every call to the internal services. Unset: created by the first start, in `rpc-token` under DATA_DIR",
  }),
  RPC_CA: text({
    default: undefined,
    help: "CA certificate (PEM file) for the services of other hosts. With RPC_CERT and RPC_KEY, RPC_PORT speaks TLS only and refuses clients without a certificate from this CA",
  }),
  RPC_CERT: text({
    default: undefined,
    help: "This host's certificate (PEM file), as server and as client, issued for the name that other hosts use",
  }),
  RPC_KEY: text({ default: undefined, help: "Private key (PEM file) of RPC_CERT" }),
  RPC_SOCKET: text({
    default: undefined,
    help: "Unix socket of the internal services, in addition to RPC_PORT, open only to the user Filemill runs as. Unset: `rpc.sock` under DATA_DIR with `npm start`",
  }),
  WEBHOOK_PRIVATE_ADDRESSES: choice({
    default: "refused",
    values: ["refused", "allowed"],
    help: "`allowed` lets webhooks and deliveries use http and reach private addresses, including services that only this network should reach",
  }),
  WEBHOOK_PORTS: ports({
    default: undefined,
    help: "Ports that webhooks and deliveries may use besides 443 (and 80 if WEBHOOK_PRIVATE_ADDRESSES allows http). Unset: none",
  }),
  WEBHOOK_RETRY_SECONDS: text({
    default: "5,300,1800,7200,18000,36000,50400,72000,86400",
    pattern: /^\d{1,6}(,\d{1,6}){0,19}$/,
    accepts: "up to 20 numbers of seconds separated by commas",
    help: "Retry delays for a webhook that did not answer 2xx, each varied by up to 20 %",
  }),
  URL_FETCH: choice({
    default: "public",
    values: ["public", "off", "any"],
    help: "Where `POST /api/v1/convert-url` may fetch files from. `public`: the public internet, on ports 80 and 443. `off`: nowhere. `any`: everywhere, including services that only this network should reach",
  }),
  CATALOGUE_ADDRESS: addressOf("catalogue"),
  JOB_ADDRESS: addressOf("job"),
  CONVERSION_ADDRESS: addressOf("conversion"),
  ACCOUNT_ADDRESS: addressOf("account"),
  WEBHOOK_ADDRESS: addressOf("webhook"),
} as const;

export type Settings = SettingsOf<typeof settingTable>;
