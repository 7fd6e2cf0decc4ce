/** The gRPC health checking protocol (https://github.com/grpc/grpc/blob/master/doc/health-checking.md). */
import { setTimeout as sleep } from "node:timers/promises";
import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as Status } from "#gen/grpc/health/v1/health_pb.ts";

/** How often a watch checks for a change. */
const watchEveryMs = 500;

/** Answers for the whole server (empty name) and for each service. All share one state. */
export function addHealth(router: ConnectRouter, services: readonly DescService[], isReady: () => boolean | Promise<boolean>): void {
  const known = new Set(["", ...services.map((service) => service.typeName)]);
  const present = async (name: string): Promise<Status> => {
    if (!known.has(name)) return Status.SERVICE_UNKNOWN;
    return (await isReady()) ? Status.SERVING : Status.NOT_SERVING;
  };
  router.service(Health, {
    async check(request) {
      const status = await present(request.service);
      if (status === Status.SERVICE_UNKNOWN) throw new ConnectError("This server has no such service.", Code.NotFound);
      return { status };
    },
    async *watch(request, context) {
      let last: Status | undefined;
      while (!context.signal.aborted) {
        const status = await present(request.service);
        if (status !== last) yield { status };
        last = status;
        await sleep(watchEveryMs, undefined, { signal: context.signal }).catch(() => {
          throw context.signal.reason;
        });
      }
    },
  });
}
