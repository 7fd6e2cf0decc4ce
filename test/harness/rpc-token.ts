import type { Interceptor } from "@connectrpc/connect";

/** For RPC servers that a test opens itself. */
export const token = "a-token-of-the-internal-services";

/** For transports other than ours. */
export function carrying(carried: string): Interceptor {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${carried}`);
    return next(request);
  };
}
