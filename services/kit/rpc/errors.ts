import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { FilemillError, toConnectError } from "../errors.ts";
import type { Log } from "../log.ts";

/**
 * What every handler throws becomes a ConnectError with ErrorInfo, the same for a local and a remote caller.
 * A defect is logged with its cause here and told to nobody.
 */
export function errorInterceptor(log: Log): Interceptor {
  const convert = (error: unknown, method: string, signal: AbortSignal): ConnectError => {
    if (signal.aborted && !(error instanceof FilemillError)) return ConnectError.from(signal.reason, Code.Canceled);
    if (
      !(error instanceof FilemillError || error instanceof ConnectError) ||
      (error instanceof FilemillError && error.code === "INTERNAL")
    ) {
      log.error("rpc.defect", { method, err: error });
    }
    return toConnectError(error);
  };
  return (next) => async (request) => {
    const method = `${request.service.typeName}/${request.method.name}`;
    try {
      const response = await next(request);
      if (!response.stream) return response;
      const messages = response.message;
      const guarded = async function* () {
        try {
          yield* messages;
        } catch (error) {
          throw convert(error, method, request.signal);
        }
      };
      return { ...response, message: guarded() };
    } catch (error) {
      throw convert(error, method, request.signal);
    }
  };
}
