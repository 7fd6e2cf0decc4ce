/** Types of the server's answers. If the server's code has a type, it is used here. */

import type { JobJson } from "#contract/job-json.ts";
import type { ownAccountOf } from "#gateway/account/me.ts";
import type { resultLinkJsonOf } from "#gateway/account/result-links.ts";
import type { keyJsonOf, planJsonOf } from "#gateway/account/views.ts";
import type { FormatFacts } from "#gateway/exchange/catalogue-view.ts";
import type { accountFactsOf } from "#gateway/operator/accounts.ts";
import type { enginesOf, houseOf } from "#gateway/operator/house.ts";
import type { jobFactsOf } from "#gateway/operator/jobs.ts";
import type { deliveryJsonOf, webhookJsonOf } from "#gateway/webhook/views.ts";

export type Format = FormatFacts;
export type Job = JobJson;

export type Fidelity = "lossless" | "high" | "reduced" | "extract";

export type Option = {
  name: string;
  type: "integer" | "number" | "string" | "boolean" | "enum";
  default: number | string | boolean | null;
  description: string;
  min?: number;
  max?: number;
  values?: string[];
  unit?: string;
};

export type Route = {
  from: string;
  to: string;
  fidelity: Fidelity;
  async: boolean;
  maxInputMb: number;
  options: Option[];
};

/** The fields that `GET /routes/{from}/{to}` adds to a listed conversion. */
export type RouteDetail = {
  hops: { label: string; version: string; from: string; to: string }[];
  expectedNotes: { code: string; message: string }[];
  estimateMs: number | null;
  proof: { figures: Record<string, number>; reader: string; date: string } | null;
};

export type Plan = ReturnType<typeof planJsonOf>;
export type Account = Awaited<ReturnType<typeof ownAccountOf>>;
export type Key = ReturnType<typeof keyJsonOf>;
export type Webhook = ReturnType<typeof webhookJsonOf>;
export type ResultLink = ReturnType<typeof resultLinkJsonOf>;
export type Delivery = ReturnType<typeof deliveryJsonOf>;

/** Visible only to operators. */
export type House = Awaited<ReturnType<typeof houseOf>>;
export type Engine = ReturnType<typeof enginesOf>[number];
export type AccountFacts = Awaited<ReturnType<typeof accountFactsOf>>;
export type JobFacts = ReturnType<typeof jobFactsOf>;

export type Me = {
  account: Account | null;
  guest: { plan: Plan } | null;
  signUpOpen: boolean;
  linksAllowed: boolean;
  oidc: { label: string; url: string } | null;
  version: string;
};

export type ErrorBody = {
  error: { code: string; message: string; requestId?: string; details?: Readonly<Record<string, unknown>> };
  job?: Job;
};
