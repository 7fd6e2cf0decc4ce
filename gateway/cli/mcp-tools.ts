import { resolve } from "node:path";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { endAnswer, toolAnswer } from "#gateway/mcp/answers.ts";
import { optionsOf, orderShape, readDescription, readDocument, readShape, waitSeconds } from "#gateway/mcp/tools.ts";
import { type LibraryBench, outputOf } from "./library-bench.ts";

/** Adds the tools that take a local file. @param folder - Base of relative paths. */
export function addFileTools(server: McpServer, bench: LibraryBench, folder: string): void {
  server.registerTool(
    "convert",
    {
      description: "Converts a local file and writes the result next to it, or to output.",
      inputSchema: z.object({
        path: z.string().min(1).describe("the file"),
        output: z.string().min(1).optional().describe("path of the result; an existing file is overwritten"),
        ...orderShape,
        wait_seconds: waitSeconds,
      }),
      annotations: { readOnlyHint: false, openWorldHint: false },
    },
    ({ path, output, to, from, options, wait_seconds: seconds }, { mcpReq }) =>
      toolAnswer(bench, async () => {
        const source = resolve(folder, path);
        const order = { to, from, options: optionsOf(options), waitMs: seconds * 1000, signal: mcpReq.signal };
        return endAnswer(await bench.convert({ path: source, output: await outputOf(source, to, output, folder) }, order));
      }),
  );
  server.registerTool(
    "read_document",
    {
      description: readDescription,
      inputSchema: z.object({ path: z.string().min(1).optional().describe("path of the file, for its first page"), ...readShape }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ path, ...order }, { mcpReq }) =>
      toolAnswer(bench, () => readDocument(bench, path === undefined ? undefined : { path: resolve(folder, path) }, order, mcpReq.signal)),
  );
}
