import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import { isEnded, jobJsonOf } from "#contract/job-json.ts";
import { watchStanding } from "#gateway/access/standing.ts";
import { apiUrlOf, callerOf, departureOf, type Handler } from "#gateway/exchange/exchange.ts";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import { jobIdOf } from "./jobs.ts";

/** Keeps proxies and the server's own idle timeout from closing an inactive stream. */
const HEARTBEAT_MS = 15_000;

/**
 * GET /api/v1/jobs/{id}/events: server-sent events (WHATWG HTML §9.2), one `job` per change until the job ends.
 * An event's id is the revision of the job's record, which serves as the log of events. A client that reconnects with `Last-Event-ID` gets
 * only newer ones.
 */
export const jobEventsHandler: Handler = async (context, request, reply) => {
  const apiUrl = apiUrlOf(context, request);
  const caller = callerOf(request);
  const ids = { accountId: caller.account.id, jobId: jobIdOf(request) };
  using standing = watchStanding(caller, context.deps.log);
  const signal = AbortSignal.any([departureOf(reply), context.draining, standing.lost]);
  const watch = context.deps.jobs.watchJob(ids, { signal })[Symbol.asyncIterator]();
  // Awaits the first message before sending headers, so that an unknown job still gets a 404.
  let next = await watch.next();
  const seen = lastEventIdOf(request);
  const first = next.value?.job;
  const isSeen = (job: Job): boolean => seen !== undefined && job.revision <= seen;
  if (first !== undefined && isEnded(first) && isSeen(first)) {
    await watch.return?.();
    // Tells the client not to reconnect (WHATWG HTML §9.2).
    return reply.code(204).send();
  }
  reply.hijack();
  const out = reply.raw;
  out.on("error", () => {});
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) out.setHeader(name, value);
  out.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" });
  out.write("retry: 2000\n\n");
  try {
    using _heartbeat = setInterval(() => out.write(": heartbeat\n\n"), HEARTBEAT_MS);
    for (let isFirst = true; next.done !== true; isFirst = false) {
      const { job } = next.value;
      if (job !== undefined && !(isFirst && isSeen(job))) {
        const { progress } = job;
        const data = { job: jobJsonOf(job, apiUrl), ...(isEnded(job) || progress === undefined ? {} : { progress }) };
        await send(out, `id: ${job.revision}\nevent: job\ndata: ${JSON.stringify(data)}\n\n`, signal);
        if (isEnded(job)) break;
      }
      next = await watch.next();
    }
  } catch (error) {
    // The client sees the stream end and reconnects. The job is not affected.
    if (!signal.aborted) context.deps.log.warn("gateway.watch_broken", { job: ids.jobId, error: String(error) });
  } finally {
    await watch.return?.();
    out.end();
  }
  return reply;
};

/** Revision of the last event that the client received before it lost the stream. */
function lastEventIdOf({ headers }: FastifyRequest): bigint | undefined {
  const text = headers["last-event-id"];
  return typeof text === "string" && /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
}

async function send(out: ServerResponse, event: string, signal: AbortSignal): Promise<void> {
  if (!out.write(event)) await once(out, "drain", { signal });
}
