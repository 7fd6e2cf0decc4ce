import type { ConnectRouter } from "@connectrpc/connect";
import type { Probe } from "./probe.ts";

/**
 * What a part reports to `/readyz`: ready, or the names of what is not, the first of them as `part`; and whether its engines are less
 * isolated than they should be.
 */
export type Readiness = ({ readonly ready: true } | { readonly ready: false; readonly part: string; readonly parts: readonly string[] }) & {
  readonly sandbox?: "degraded";
  /** Engines, with their versions, that nobody has proven. None of their conversions is listed yet. */
  readonly unproven?: readonly string[];
  /** Progress of proving conversions on this machine: how many are done, and how many there are. */
  readonly proving?: ProvingProgress;
};

export type ProvingProgress = { readonly done: number; readonly of: number };

/** The interface of every service, alone in a process or together with others. */
export type Service = AsyncDisposable & {
  readonly name: string;
  /** Adds the service's RPCs to a router. */
  routes(router: ConnectRouter): void;
  /** Connects, restores state and starts working. Resolves when it can answer. */
  start(): Promise<void>;
  /** Accepts no new work. Resolves when running work has ended or the signal fires. */
  drain(signal: AbortSignal): Promise<void>;
  /** What it knows without trying anything. */
  readiness(): Readiness;
  /** Probes of the service's own parts, once it has started. */
  probes?(): readonly Probe[];
};
