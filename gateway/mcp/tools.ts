/** The tools that every MCP server has; each server adds its own (decision 65). */
import { ConnectError } from "@connectrpc/connect";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { FilemillError, fromConnectError } from "#contract/errors.ts";
import { parseFormatId } from "#formats/index.ts";
import { conversionLine, endAnswer, jobAnswer, routeAnswer, toolAnswer } from "./answers.ts";
import type { ConvertOrder, JobView, Workbench } from "./workbench.ts";

/** Below the 60 s after which most clients give up on a call. */
const longestWaitSeconds = 50;
const defaultWaitSeconds = 20;
const pageCharacters = { default: 20_000, max: 60_000 };
/** No format id is longer. Also keeps hostile names short. */
const id = z.string().min(1).max(16);

export const waitSeconds = z.number().int().min(0).max(longestWaitSeconds).default(defaultWaitSeconds);
const jobId = z.string().regex(/^[0-9a-z]{26}$/);

/** Parameters of a conversion besides its file. */
export const orderShape = {
  to: id.describe("target format, such as pdf, md, webp"),
  from: id.optional().describe("source format; only needed if content and name do not show it"),
  options: z
    .record(z.string().max(64), z.union([z.string().max(500), z.number(), z.boolean()]))
    .default({})
    .describe("conversion options; find_conversions with from and to lists them"),
};

export function optionsOf(given: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
}

const readOnly = { readOnlyHint: true, openWorldHint: false } as const;

/** A server with the read-only tools. The caller adds tools that take a file. */
export function createToolServer<Source>(bench: Workbench<Source>, instructions: string): McpServer {
  const server = new McpServer({ name: "filemill", title: "Filemill", version: "1" }, { instructions });
  addCatalogueTools(server, bench);
  addJobStatus(server, bench);
  return server;
}

function addCatalogueTools<Source>(server: McpServer, bench: Workbench<Source>): void {
  server.registerTool(
    "list_formats",
    {
      description: "Lists the formats that can be converted here, one per line: id, name and kind. Filter by kind or by a word.",
      inputSchema: z.object({
        kind: z.string().max(32).optional().describe("image, document, spreadsheet, presentation, audio, video, archive, …"),
        search: z.string().max(64).optional().describe("a word in the name, id or extension"),
      }),
      annotations: readOnly,
    },
    ({ kind, search }) =>
      toolAnswer(bench, async () => {
        const word = search?.toLowerCase() ?? "";
        const found = (await bench.formats()).filter(
          (format) =>
            (kind === undefined || format.kind === kind.toLowerCase()) &&
            [format.id, format.label.toLowerCase(), ...format.extensions].some((text) => text.includes(word)),
        );
        if (found.length === 0) return "No format matches; call list_formats without arguments to list all.";
        return found.map((format) => `${format.id}  ${format.label} (${format.kind})`).join("\n");
      }),
  );
  server.registerTool(
    "find_conversions",
    {
      description:
        "Lists what a format can be converted to, with the fidelity of each conversion: lossless, high, reduced (layout or quality is simplified) or extract (only a part is kept). With `to`: that one conversion, with its options and what to expect.",
      inputSchema: z.object({ from: id.describe("a format id or file extension"), to: id.optional() }),
      annotations: readOnly,
    },
    ({ from, to }) =>
      toolAnswer(bench, async () => {
        if (to !== undefined) return routeAnswer(await bench.route(from, to));
        const format = parseFormatId(from)?.id ?? from;
        const found = await bench.conversionsFrom(format);
        if (found.length === 0) throw new FilemillError("UNSUPPORTED_CONVERSION", `${format} cannot be converted here; see list_formats.`);
        return `${format} becomes:\n${found.map(conversionLine).join("\n")}`;
      }),
  );
}

function addJobStatus<Source>(server: McpServer, bench: Workbench<Source>): void {
  server.registerTool(
    "job_status",
    {
      description: "Reports the progress of a conversion; waits up to wait_seconds for its end. Without a job, lists the newest jobs.",
      inputSchema: z.object({ job: jobId.optional(), wait_seconds: waitSeconds }),
      annotations: readOnly,
    },
    ({ job, wait_seconds: seconds }, { mcpReq }) =>
      toolAnswer(bench, async () => {
        if (job !== undefined) return jobAnswer(await bench.job(job, seconds * 1000, mcpReq.signal));
        return (await bench.jobs()).map(jobAnswer);
      }),
  );
}

export const readDescription =
  "Reads a document as Markdown, page by page: PDF (scanned too), Word, slides, spreadsheets, e-books, mail, web pages, pictures of text.";

/** Parameters of read_document besides the file. */
export const readShape = {
  job: jobId.optional().describe("a finished conversion to text, from an earlier answer"),
  offset: z.number().int().min(0).default(0).describe("where to continue: the offset that the previous page named"),
  max_characters: z.number().int().min(1000).max(pageCharacters.max).default(pageCharacters.default),
  wait_seconds: waitSeconds,
};
export type ReadOrder = z.output<z.ZodObject<typeof readShape>>;

/** Reads a page of a file, or of the result of a finished conversion to text. */
export async function readDocument<Source>(
  bench: Workbench<Source>,
  file: Source | undefined,
  { job, offset, max_characters: bytes, wait_seconds: seconds }: ReadOrder,
  signal: AbortSignal,
): Promise<object | string> {
  if ((job === undefined) === (file === undefined)) throw new FilemillError("BAD_REQUEST", "Name either a job or a file.");
  const order = { waitMs: seconds * 1000, signal };
  const read = file === undefined ? await bench.job(job ?? "", order.waitMs, signal) : await asText(bench, file, order);
  if (read.status !== "done") return endAnswer(read);
  const { text, totalBytes, nextOffset } = await bench.readText(read.id, offset, bytes);
  const rest = nextOffset === undefined ? "" : `; there is more: read_document with this job and offset ${nextOffset}`;
  const notes = offset > 0 ? [] : read.notes.map(({ code, message }) => `\n[${code}: ${message}]`);
  return `${text}\n\n[job ${read.id}, ${read.to}, ${totalBytes} bytes in total${rest}]${notes.join("")}`;
}

/** Text targets, best first. */
const textTargets = ["md", "txt", "json"] as const;
const unsupported = "UNSUPPORTED_CONVERSION";

async function asText<Source>(
  bench: Workbench<Source>,
  file: Source,
  { waitMs, signal }: Pick<ConvertOrder, "waitMs" | "signal">,
): Promise<JobView> {
  for (const to of textTargets) {
    const job = await bench.convert(file, { to, from: undefined, options: {}, waitMs, signal }).catch(unlessUnsupported);
    if (job !== undefined && job.error?.code !== unsupported) return job;
  }
  throw new FilemillError(unsupported, "This file cannot be read as text here.");
}

/** The service refuses to create such a job, while the command's own conversions fail with the same code. */
function unlessUnsupported(error: unknown): undefined {
  const known = error instanceof ConnectError ? fromConnectError(error) : error;
  if (!(known instanceof FilemillError && known.code === unsupported)) throw error;
}
