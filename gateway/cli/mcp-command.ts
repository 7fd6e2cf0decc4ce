/** `filemill mcp`: the tools for agents over standard input and output, for local files. */
import type { Command } from "commander";
import type { LibraryBench } from "./library-bench.ts";
import { openConversions } from "./open-conversions.ts";
import { type ServerFlags, serverAddressOf, withServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";

const instructions = `Converts local files between formats and reads documents as Markdown. Name files by path; relative paths start at the folder where this server was started. The result is written next to its source unless output names another path. find_conversions lists the options and fidelity of a conversion. A long conversion continues in the background: check it with job_status.`;

export function addMcpCommand(program: Command, shell: Shell): void {
  withServer(program.command("mcp"))
    .description("run a Model Context Protocol server on standard input and output, so that AI agents can convert local files")
    .action(async (flags: ServerFlags) => {
      const server = serverAddressOf(flags, shell);
      await using library = await openConversions(server, shell);
      const { openLibraryBench } = await import("./library-bench.ts");
      await using bench = await openLibraryBench(library, (error) => shell.err(String(error)));
      await serve(bench, shell);
    });
}

/** Resolves when the agent disconnects. */
async function serve(bench: LibraryBench, shell: Shell): Promise<void> {
  const { StdioServerTransport, serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const tools = await import("#gateway/mcp/tools.ts");
  const { addFileTools } = await import("./mcp-tools.ts");
  const over = Promise.withResolvers<void>();
  shell.input.once("end", over.resolve).once("close", over.resolve);
  shell.signal.addEventListener("abort", () => over.resolve(), { once: true });
  const handle = serveStdio(
    () => {
      const server = tools.createToolServer(bench, instructions);
      addFileTools(server, bench, shell.callerFolder);
      return server;
    },
    { transport: new StdioServerTransport(shell.input), maxSubscriptions: 0 },
  );
  await over.promise;
  await handle.close();
}
