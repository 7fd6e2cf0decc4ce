import type { Client } from "@connectrpc/connect";
import type { Registry } from "prom-client";
import type { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import type { SignInService } from "#gen/filemill/account/v1/sign_in_pb.ts";
import type { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import type { JobService } from "#gen/filemill/job/v1/job_pb.ts";
import type { WebhookService } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import type { BlobStore } from "#kit/blobs/store.ts";
import type { Log } from "#kit/log.ts";
import type { Channel } from "#kit/nats/ports.ts";
import type { Readiness } from "#kit/service.ts";
import type { Settings } from "#kit/settings.ts";

export type GatewaySettings = Pick<
  Settings,
  | "DATA_DIR"
  | "HOST"
  | "PORT"
  | "PUBLIC_URL"
  | "ALLOWED_HOSTS"
  | "GUESTS"
  | "LINKS"
  | "TRUSTED_PROXIES"
  | `OIDC_${"ISSUER" | "CLIENT_ID" | "CLIENT_SECRET" | "LABEL" | "PLAN" | "ALLOWED_DOMAINS"}`
  | "INLINE_WAIT_MS"
  | "URL_FETCH"
  | "MIN_FREE_DISK_MB"
  | "GUEST_RESERVE_MB"
  | "METRICS_TOKEN"
  | "DRAIN_MS"
  | "MAX_CONNECTIONS_PER_CLIENT"
>;

/** The gateway's dependencies. It cannot tell whether a service is in this process or behind a URL. */
export type GatewayDeps = {
  readonly accounts: Client<typeof AccountService>;
  readonly signIn: Client<typeof SignInService>;
  readonly catalogue: Client<typeof CatalogueService>;
  readonly jobs: Client<typeof JobService>;
  readonly conversion: Client<typeof ConversionService>;
  readonly webhooks: Client<typeof WebhookService>;
  readonly blobs: BlobStore;
  /** Connects to the other gateways, for counts that all of them share. */
  readonly counts: Channel | undefined;
  /** Signs the cookies of known browsers, and hides guests' addresses in records. */
  readonly deviceKey: string;
  readonly log: Log;
  readonly metrics: Registry;
  /** Readiness of everything the gateway needs, for /readyz. */
  readiness(): Promise<Readiness>;
};
