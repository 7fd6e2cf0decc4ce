/** Lets the tools call the services in the same way as the REST API, on behalf of the same caller. */
import type { FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import { isEnded, jobJsonOf } from "#contract/job-json.ts";
import { parseFormatId } from "#formats/index.ts";
import { authenticate, type Caller } from "#gateway/access/authenticate.ts";
import { callerOf, type RestContext, requestBaseUrlOf } from "#gateway/exchange/exchange.ts";
import { publicErrorOf } from "#gateway/exchange/public-error.ts";
import { boundedFileName } from "#gateway/http/file-name.ts";
import { resultOf } from "#gateway/rest/artifact.ts";
import { fetching } from "#gateway/rest/convert-url.ts";
import { unknownSource } from "#gateway/rest/hints.ts";
import { describedRoute } from "#gateway/rest/routes.ts";
import { storeBytes } from "#gateway/rest/stored-bytes.ts";
import { ceilingOf, type Receive, submit } from "#gateway/rest/submission.ts";
import { waitForEnd } from "#gateway/rest/watch.ts";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import { checkReadable, textPageOf } from "./text-page.ts";
import type { ConvertOrder, Workbench } from "./workbench.ts";

/** Text written by an agent, or a file for the service to fetch. */
export type ServiceSource = { readonly text: string; readonly name: string } | { readonly url: string };
export type ServiceBench = Workbench<ServiceSource> & { rawJob(id: string): Promise<Job> };

const listedJobs = 10;

export function createServiceBench(context: RestContext, request: FastifyRequest): ServiceBench {
  const { deps } = context;
  const accountId = callerOf(request).account.id;
  const viewOf = (job: Job) => jobJsonOf(job, `${requestBaseUrlOf(context, request)}/api/v1`);
  const rawJob = async (jobId: string): Promise<Job> => {
    const { job } = await deps.jobs.getJob({ accountId, jobId });
    if (job === undefined) throw new FilemillError("JOB_NOT_FOUND", "There is no such job.");
    return job;
  };
  return {
    rawJob,
    formats: async () => (await context.views.current()).formats,
    async conversionsFrom(from) {
      const found = (await context.views.current()).conversionsFrom(from);
      return found === undefined ? [] : JSON.parse(`[${found.toString()}]`);
    },
    route: (from, to) => describedRoute(context, { from, to }),
    defect: (error) => void publicErrorOf(error, request.id, deps.log),
    convert: async (source, order) => viewOf(await convert(context, request, source, order)),
    job: async (id, waitMs, signal) => viewOf(await waitForEnd(deps, await rawJob(id), waitMs, signal, context.draining)),
    jobs: async () => (await deps.jobs.listJobs({ accountId, limit: listedJobs })).jobs.map(viewOf),
    async readText(id, offset, maxBytes) {
      const job = await rawJob(id);
      const { id: blobId, sizeBytes } = resultOf(job);
      checkReadable(job.resultFormat === "" ? job.to : job.resultFormat);
      return textPageOf(Number(sizeBytes), offset, maxBytes, async (start, bytes) => {
        const part = await deps.blobs.read(blobId, { start, end: start + bytes - 1 });
        return Buffer.concat(await part.toArray());
      });
    },
  };
}

/** Counts a conversion. The message itself was only counted as a read. */
async function convert(context: RestContext, request: FastifyRequest, source: ServiceSource, order: ConvertOrder): Promise<Job> {
  const { deps } = context;
  const caller = await authenticate(deps.accounts, request.headers.authorization, "convert");
  const { refusal } = await context.limits.count("convert", caller.account.id, caller.plan.requestsPerMinute);
  if (refusal !== undefined) throw refusal;
  const from = order.from === undefined ? undefined : parseFormatId(order.from)?.id;
  if (order.from !== undefined && from === undefined) throw unknownSource(order.from, context.views.known());
  const receive =
    "url" in source
      ? fetching(context, caller, { url: source.url, to: order.to, from })
      : taking(context, caller, source, { to: order.to, from });
  const asked = { from, options: new Map(Object.entries(order.options)), idempotencyKey: undefined, isQueued: false };
  const passwords = { inputPassword: undefined, outputPassword: undefined };
  const submission = { caller, ip: request.ip, requestId: request.id, asked: { ...asked, ...passwords } };
  const { job, durable } = await submit(context, submission, 0, receive, order.signal);
  const latest = await waitForEnd(deps, job, order.waitMs, order.signal, context.draining);
  if (!isEnded(latest) && !durable) await deps.jobs.persistJob({ accountId: job.accountId, jobId: job.id });
  return latest;
}

function taking(
  { deps, views }: RestContext,
  caller: Caller,
  { text, name }: { readonly text: string; readonly name: string },
  { to, from }: { readonly to: string; readonly from: string | undefined },
): Receive {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  return async ({ passage, signal }) => {
    const rules = { blobs: deps.blobs, ceiling: ceilingOf({ views }, caller, from, to), passage, signal };
    return { to, blob: await storeBytes(bytes(), rules, neverBroken), fileName: boundedFileName(name) };
  };
}

function neverBroken(): FilemillError {
  return new FilemillError("INTERNAL", "Something went wrong on our side.");
}
