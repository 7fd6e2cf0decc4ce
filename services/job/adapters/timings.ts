import { create } from "@bufbuild/protobuf";
import { RouteTimingsSchema } from "#gen/filemill/job/v1/job_pb.ts";
import type { Broker } from "#kit/nats/ports.ts";
import { protobufCodec } from "#kit/nats/protobuf-codec.ts";
import type { History } from "../domain/history.ts";

/**
 * The bucket `timings`: the history's initial data after a start. Each job service writes what it saw, and the last writer wins. That is
 * harmless because all of them see the same jobs.
 *
 * @returns Writes what has changed since the last call.
 */
export async function openTimings(broker: Broker, history: History): Promise<() => Promise<void>> {
  const bucket = await broker.bucket("timings", protobufCodec(RouteTimingsSchema));
  await using _told = await bucket.watch((route, entry) => {
    if (entry !== undefined) history.recall({ route, timings: entry.value.timings });
  });
  return async () => {
    for (const { route, timings } of history.changes()) await bucket.put(route, create(RouteTimingsSchema, { timings: [...timings] }));
  };
}
