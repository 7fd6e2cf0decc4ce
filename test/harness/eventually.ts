import { vi } from "vitest";

/**
 * Resolves when `assertion` holds, which is tried again and again; rejects with its last failure after 30 s.
 * Vitest's own wait gives up after one second, which a broker or an engine on a busy machine may need.
 */
export const eventually = (assertion: () => unknown): Promise<unknown> => vi.waitFor(assertion, { timeout: 30_000 });
