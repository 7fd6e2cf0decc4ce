/**
 * What each service may do at the broker, one row per service. The embedded server gives each service its own user to enforce this. A
 * service that oversteps its row fails at its first start, on any server.
 *
 * @see decision 10 for what NATS cannot restrict
 */
export const brokerUsers = ["account", "catalogue", "job", "conversion", "webhook"] as const;
export type BrokerUser = (typeof brokerUsers)[number];

type Grant = {
  /** `read` includes removing deletion markers, which is the job of watchers. */
  readonly buckets: Readonly<Record<string, "read" | "write">>;
  /** `feed`: publishes wake-ups and withdraws them. `take`: receives them. */
  readonly queue?: "feed" | "take";
};

/** The gateway has no row: when it shares a NATS server with others, the whole process uses the owner's user. */
export const grants: Readonly<Record<BrokerUser, Grant>> = {
  account: {
    buckets: {
      accounts: "write",
      keys: "write",
      credentials: "write",
      sessions: "write",
      links: "write",
      identities: "write",
      presets: "write",
    },
  },
  catalogue: { buckets: { manifests: "read" } },
  job: { buckets: { jobs: "write", idempotency: "write", timings: "write", health: "write" }, queue: "feed" },
  conversion: { buckets: { manifests: "write" }, queue: "take" },
  webhook: { buckets: { jobs: "read", webhooks: "write", deliveries: "write" } },
};

/** The stream of wake-ups. */
export const queueName = "JOBS";

export type Permissions = {
  readonly publish: { readonly allow: readonly string[]; readonly deny?: readonly string[] };
  readonly subscribe: { readonly allow: readonly string[] };
};

/** A service cannot listen to the answers meant for another. */
export function inboxPrefixOf(user: string): string {
  return `_INBOX_${user}`;
}

/** Gateways share their counts of requests and sign-in attempts here. */
export const countsSubject = "filemill.counts";

/** The user that creates streams and consumers. No service may do that. */
export const ownerUser = "filemill";

/** Streams, consumers, entries and wake-ups of Filemill. May remove entries, but never a stream. */
export const ownerPermissions: Permissions = {
  publish: {
    allow: ["$JS.API.>", "$JS.ACK.>", "$JS.FC.>", "$KV.>", `${queueName}.*.*`, countsSubject],
    deny: [
      ...["DELETE", "PURGE", "SNAPSHOT", "RESTORE"].map((verb) => `$JS.API.STREAM.${verb}.>`),
      ...["ACCOUNT", "META", "SERVER"].map((part) => `$JS.API.${part}.>`),
    ],
  },
  subscribe: { allow: ["_INBOX.>", countsSubject] },
};

export function permissionsOf(user: BrokerUser): Permissions {
  const { buckets, queue } = grants[user];
  return {
    publish: {
      allow: ["$JS.API.INFO", ...Object.entries(buckets).flatMap(([name, use]) => bucketSubjects(name, use)), ...queueSubjects(queue)],
    },
    subscribe: { allow: [`${inboxPrefixOf(user)}.>`] },
  };
}

function bucketSubjects(name: string, use: "read" | "write"): readonly string[] {
  const stream = `KV_${name}`;
  return [
    ...["STREAM.INFO", "STREAM.MSG.GET", "STREAM.MSG.DELETE", "DIRECT.GET", "CONSUMER.CREATE"].map((call) => `$JS.API.${call}.${stream}`),
    ...["DIRECT.GET", "CONSUMER.CREATE", "CONSUMER.INFO", "CONSUMER.DELETE"].map((call) => `$JS.API.${call}.${stream}.>`),
    `$JS.FC.${stream}.>`,
    ...(use === "write" ? [`$KV.${name}.>`] : []),
  ];
}

function queueSubjects(queue: Grant["queue"]): readonly string[] {
  if (queue === undefined) return [];
  const common = [`$JS.API.STREAM.INFO.${queueName}`, `$JS.API.CONSUMER.INFO.${queueName}.*`];
  return queue === "feed"
    ? [...common, ...["GET", "DELETE"].map((verb) => `$JS.API.STREAM.MSG.${verb}.${queueName}`), `${queueName}.*.*`]
    : // Newer servers use the longer form.
      [...common, `$JS.API.CONSUMER.MSG.NEXT.${queueName}.*`, `$JS.ACK.${queueName}.>`, `$JS.ACK.*.*.${queueName}.>`];
}

/** @throws TypeError if the service has no row for the bucket. This is a programming error, reported where it is made. */
export function assertGranted(user: BrokerUser, bucket: string): void {
  if (grants[user].buckets[bucket] === undefined) {
    throw new TypeError(`the service ${user} has no business with the bucket ${bucket}: grant it in services/contract/grants.ts`);
  }
}
