import { randomBytes } from "node:crypto";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { FilemillError } from "#contract/errors.ts";
import { formatOf, parseFormatId } from "#formats/index.ts";
import { authenticate } from "#gateway/access/authenticate.ts";
import { type RestContext, requestBaseUrlOf } from "#gateway/exchange/exchange.ts";
import { resultOf } from "#gateway/rest/artifact.ts";
import { checkedDeliverTo } from "#gateway/rest/deliver-to.ts";
import { unknownSource, unknownTarget } from "#gateway/rest/hints.ts";
import { type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { endAnswer, toolAnswer } from "./answers.ts";
import { createServiceBench, type ServiceBench, type ServiceSource } from "./service-bench.ts";
import { createToolServer, optionsOf, orderShape, readDescription, readDocument, readShape, waitSeconds } from "./tools.ts";

const ticketMs = 15 * 60_000;
/** Limit for pictures shown in the chat. To a model, a picture costs about as much as a page of text, whatever its size in bytes. */
const maxShownBytes = 512 * 1024;
const shownTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

const address = z.string().min(1).max(2000).optional();

const instructions = `Converts files between formats. For a file of the user, call request_upload and run the command it prints; the answer names the job. For text that you wrote, call convert. Then call job_status, and get_result for a link that the user can open, or read_document for the text. find_conversions lists the options and fidelity of a conversion.`;

/** Answers one message of an agent on behalf of the request's caller. */
export function answerMessage(context: RestContext, request: FastifyRequest, message: Request): Promise<Response> {
  const bench = createServiceBench(context, request);
  // Nothing here changes during a session, so there is nothing to subscribe to.
  const handler = createMcpHandler(() => serverOf(context, request, bench), { maxSubscriptions: 0 });
  return handler.fetch(message, { parsedBody: request.body });
}

function serverOf(context: RestContext, request: FastifyRequest, bench: ServiceBench): McpServer {
  const server = createToolServer(bench, instructions);
  addConvert(server, bench);
  addUpload(server, context, request, bench);
  addGetResult(server, context, request, bench);
  server.registerTool(
    "read_document",
    {
      description: `${readDescription} Give its url, or the job of a conversion to md or txt (request_upload with to=md).`,
      inputSchema: z.object({ url: address.describe("path of the file, for its first page"), ...readShape }),
      annotations: { readOnlyHint: true },
    },
    ({ url, ...order }, { mcpReq }) =>
      toolAnswer(bench, () => readDocument<ServiceSource>(bench, url === undefined ? undefined : { url }, order, mcpReq.signal)),
  );
  return server;
}

function addConvert(server: McpServer, bench: ServiceBench): void {
  server.registerTool(
    "convert",
    {
      description:
        "Converts text that you have, for example Markdown to docx or pdf or CSV to xlsx, or a file on the web. For a file of the user, use request_upload.",
      inputSchema: z.object({
        ...orderShape,
        text: z.string().min(1).optional().describe("content of the file; set its format in from: md, html, csv, json, svg"),
        name: z.string().min(1).max(200).default("text").describe("file name of the text, used to name the result"),
        url: address.describe("URL of a file on the web, instead of text"),
        wait_seconds: waitSeconds,
      }),
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
    ({ text, url, name, from, to, options, wait_seconds: seconds }, { mcpReq }) =>
      toolAnswer(bench, async () => {
        const order = { to, from, options: optionsOf(options), waitMs: seconds * 1000, signal: mcpReq.signal };
        return endAnswer(await bench.convert(sourceOf(text, name, url), order));
      }),
  );
}

function sourceOf(text: string | undefined, name: string, url: string | undefined): ServiceSource {
  if (text !== undefined && url === undefined) return { text, name };
  if (url !== undefined && text === undefined) return { url };
  throw new FilemillError("BAD_REQUEST", "Give either text or url; for a file of the user, call request_upload.");
}

function addUpload(server: McpServer, context: RestContext, request: FastifyRequest, bench: ServiceBench): void {
  server.registerTool(
    "request_upload",
    {
      description:
        "Returns an address that accepts one file for conversion, without a key, for 15 minutes, and the command that uploads it. The answer to the upload names the job.",
      inputSchema: z.object({
        ...orderShape,
        deliver_to: z.string().max(2000).optional().describe("pre-signed https address to deliver the result to, by PUT (optional)"),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
    ({ to, from, options, deliver_to: address }) =>
      toolAnswer(bench, async () => {
        const { authorization = "" } = request.headers;
        const caller = await authenticate(context.deps.accounts, authorization, "convert");
        const ids = checkedFormats(context, from, to);
        const deliverTo = await checkedDeliverTo(context, caller, address);
        const place = deliverTo === undefined ? {} : { deliverTo };
        const nonce = `mcp ${randomBytes(16).toString("hex")}`;
        const ticket = { kind: "upload", ...ids, options: optionsOf(options), ...place, nonce } as const;
        const { text, expiresAt } = context.tickets.issue(ticket, authorization, ticketMs);
        // curl appends the file's name because of the trailing slash.
        const url = `${requestBaseUrlOf(context, request)}/mcp/uploads/${text}/`;
        return { upload: url, method: "PUT", expiresAt, command: `curl --fail-with-body -T FILE '${url}'` };
      }),
  );
}

/** Checks the formats early, so that no file is uploaded in vain. */
function checkedFormats({ views }: RestContext, from: string | undefined, to: string): { to: string; from?: string } {
  const target = parseFormatId(to);
  if (target === undefined) throw unknownTarget(to, views.known());
  if (from === undefined) return { to: target.id };
  const source = parseFormatId(from);
  if (source === undefined) throw unknownSource(from, views.known());
  return { to: target.id, from: source.id };
}

function addGetResult(server: McpServer, context: RestContext, request: FastifyRequest, bench: ServiceBench): void {
  server.registerTool(
    "get_result",
    {
      description:
        "Returns a link to the result of a finished job; it works without a key for 15 minutes. With show, a small picture is also shown here.",
      inputSchema: z.object({ job: z.string().regex(/^[0-9a-z]{26}$/), show: z.boolean().default(false) }),
      annotations: { readOnlyHint: true },
    },
    async ({ job: id, show }) => {
      const pictures: { type: "image"; data: string; mimeType: string }[] = [];
      const told = await toolAnswer(bench, async () => {
        const job = await bench.rawJob(id);
        const { sizeBytes } = resultOf(job);
        const { text, expiresAt } = context.tickets.issue({ kind: "download", jobId: id }, request.headers.authorization ?? "", ticketMs);
        if (show) pictures.push(await pictureOf(context, job));
        return { download: `${requestBaseUrlOf(context, request)}/mcp/downloads/${text}`, bytes: Number(sizeBytes), expiresAt };
      });
      return { ...told, content: [...told.content, ...pictures] };
    },
  );
}

async function pictureOf({ deps }: RestContext, job: Job): Promise<{ type: "image"; data: string; mimeType: string }> {
  const mimeType = formatOf(job.resultFormat === "" ? job.to : job.resultFormat)?.mime ?? "";
  const { id, sizeBytes } = resultOf(job);
  if (job.state !== JobState.DONE || !shownTypes.has(mimeType) || sizeBytes > maxShownBytes) {
    throw new FilemillError(
      "INVALID_OPTION",
      "Only PNG, JPEG, WebP and GIF up to 512 KiB can be shown; leave out show, or convert to a smaller picture.",
    );
  }
  const bytes = Buffer.concat(await (await deps.blobs.read(id)).toArray());
  return { type: "image", data: bytes.toString("base64"), mimeType };
}
