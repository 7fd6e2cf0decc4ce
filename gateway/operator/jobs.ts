import { jobJsonOf } from "#contract/job-json.ts";
import { callerOf, type Handlers, sendJson } from "#gateway/exchange/exchange.ts";
import { jobIdOf, pageOf } from "#gateway/rest/jobs.ts";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";

export const operatorJobHandlers = {
  /** GET /web/v1/operator/jobs?status=&limit=&cursor=, newest first. */
  async operatorJobs({ deps }, request, reply) {
    const [{ jobs, nextCursor }, { accounts }] = await Promise.all([
      deps.jobs.listAllJobs(pageOf(request)),
      deps.accounts.listAccounts({}),
    ]);
    const emails = new Map(accounts.map(({ id, email }) => [id, email]));
    return sendJson(reply, 200, {
      jobs: jobs.map((job) => jobFactsOf(job, emails.get(job.accountId))),
      nextCursor: nextCursor === "" ? null : nextCursor,
    });
  },
  /** POST /web/v1/operator/jobs/{id}/cancel. */
  async operatorCancelJob({ deps }, request, reply) {
    const { accountId } = request.body as { accountId: string };
    const jobId = jobIdOf(request);
    await deps.jobs.cancelJob({ accountId, jobId });
    deps.log.info("operator.job_cancelled", { requestId: request.id, by: callerOf(request).account.id, account: accountId, job: jobId });
    return reply.code(204).send();
  },
} satisfies Handlers;

/** A job without anything that reveals its file's content: no file name, no notes, and only the code of an error. */
export function jobFactsOf(job: Job, email: string | undefined) {
  const { id, status, from, to, bytes, durationMs, queuePosition, estimateMs, error, createdAt } = jobJsonOf(job, "");
  const inputBytes = Number(job.input?.sizeBytes ?? 0);
  const whose = { accountId: job.accountId, email: email ?? null };
  return {
    id,
    ...whose,
    status,
    from,
    to,
    inputBytes,
    bytes,
    durationMs,
    queuePosition,
    estimateMs,
    error: error?.code ?? null,
    createdAt,
  };
}
