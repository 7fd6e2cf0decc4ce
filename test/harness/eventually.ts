import { vi } from "vitest";

/**
 * Resolves when `assertion` holds, retrying it; rejects with its last failure after 30 s. Vitest's
 * default gives up after one second, which a broker or an engine may need on a busy machine.
 */
export const eventually = (assertion: () => unknown): Promise<unknown> => vi.waitFor(assertion, { timeout: 30_000 });
