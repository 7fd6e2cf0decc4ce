import type { Interceptor } from "@connectrpc/connect";

/** Of RPC servers that a test opens itself. */
export const token = "a-token-of-the-internal-services";

/** For transports that are not ours. */
export function carrying(carried: string): Interceptor {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${carried}`);
    return next(request);
  };
}
