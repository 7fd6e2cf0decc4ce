/** The page and download of a share link. Visitors need no account, cookie or script. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { FastifyRequest } from "fastify";
import { FilemillError, fromConnectError } from "#contract/errors.ts";
import { formatOf } from "#formats/index.ts";
import { createLinkTokens } from "#gateway/access/result-links.ts";
import type { Handlers, RestContext } from "#gateway/exchange/exchange.ts";
import { clientOf } from "#gateway/http/connections.ts";
import { fileNameOf } from "#gateway/http/disposition.ts";
import { sendArtifact } from "#gateway/rest/artifact.ts";
import type { Job, ResultLink } from "#gen/filemill/job/v1/job_pb.ts";
import { html } from "./html.ts";
import { sendPage } from "./shell.ts";

type Opened = { readonly job: Job; readonly link: ResultLink };

export const shareHandlers = {
  /** GET /share/{token}: name, size and expiry of the result. Not counted as a download, so that link previews do not use up the link. */
  async sharePage(context, request, reply) {
    const { job, link } = await open(context, request, false);
    reply.header("x-robots-tag", "noindex");
    return sendPage(request, reply, (say) => {
      const name = nameOf(job);
      const numbers = new Intl.NumberFormat(say.language, {
        style: "unit",
        unit: "megabyte",
        unitDisplay: "short",
        maximumSignificantDigits: 3,
      });
      const ends = new Intl.DateTimeFormat(say.language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
      const size = numbers.format(Number(job.result?.sizeBytes ?? 0n) / 1e6);
      const when = link.expiresAt === undefined ? "" : `${ends.format(timestampDate(link.expiresAt))} UTC`;
      return {
        title: `${name} · Filemill`,
        description: say.text("page.share.text", { size, when }),
        main: html`<div class="page">
<h1 class="share-name">${name}</h1>
<p class="lead">${say.text("page.share.text", { size, when })}</p>
<p class="actions"><a class="button button-primary" href="${request.url.split("?")[0] ?? ""}/file" download rel="nofollow">${say.text("do.download")}</a></p>
</div>`,
      };
    });
  },
  /** GET /share/{token}/file: downloads the whole result, counted. */
  async shareFile(context, request, reply) {
    const { job } = await open(context, request, true);
    return sendArtifact(reply, context.deps.blobs, job, { method: "GET", isForOthers: true });
  },
} satisfies Handlers;

/** Throws the same NOT_FOUND whatever is wrong with the link. */
async function open({ deps, settings, throttle }: RestContext, request: FastifyRequest, download: boolean): Promise<Opened> {
  const over = () => new FilemillError("NOT_FOUND", "This link is not valid or has expired.");
  await throttle.link(clientOf(request.ip));
  const { token } = request.params as { token: string };
  const name = settings.LINKS === "on" ? createLinkTokens(deps).nameOf(token) : undefined;
  if (name === undefined) throw over();
  try {
    const { account } = await deps.accounts.getAccount({ account: { ref: { case: "id", value: name.accountId } } });
    if (account === undefined || account.disabledAt !== undefined) throw over();
    const { job, link } = await deps.jobs.openResultLink({ ...name, download });
    if (job === undefined || link === undefined) throw over();
    return { job, link };
  } catch (error) {
    const known = fromConnectError(error);
    throw known.code === "ACCOUNT_NOT_FOUND" ? over() : known;
  }
}

function nameOf(job: Job): string {
  const format = formatOf(job.resultFormat === "" ? job.to : job.resultFormat);
  return fileNameOf(job.sourceName, format?.extensions[0] ?? job.to);
}
