import type { ConnectRouter } from "@connectrpc/connect";
import type { Probe } from "./probe.ts";

/**
 * What a part says of itself to `/readyz`: ready, or the names of what is not, the first one as `part`; and that its engines run less
 * well isolated than they should.
 */
export type Readiness = ({ readonly ready: true } | { readonly ready: false; readonly part: string; readonly parts: readonly string[] }) & {
  readonly sandbox?: "degraded";
  /** Engines with their versions that nobody has proven: none of their conversions is listed yet. */
  readonly unproven?: readonly string[];
  /** Conversions that are being proven on this machine: how many are done, of how many. */
  readonly proving?: ProvingProgress;
};

export type ProvingProgress = { readonly done: number; readonly of: number };

/** The shape that every service has, alone in a process or beside the others. */
export type Service = AsyncDisposable & {
  readonly name: string;
  /** Adds the service's RPCs to a router. */
  routes(router: ConnectRouter): void;
  /** Connects, restores state and begins to work; resolves when it can answer. */
  start(): Promise<void>;
  /** Takes no new work and resolves when what is running has ended or the signal fires. */
  drain(signal: AbortSignal): Promise<void>;
  /** As far as it knows without trying. */
  readiness(): Readiness;
  /** Of what it has for itself, once it has started. */
  probes?(): readonly Probe[];
};
