import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { FilemillError } from "#contract/errors.ts";
import { openConversions } from "./open-conversions.ts";
import { inOwnWords } from "./own-words.ts";
import { type OptionFlags, optionsOf, withOptions } from "./presets.ts";
import { openProgressBars } from "./progress-bars.ts";
import { type ServerFlags, serverAddressOf, withServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";
import { sizeOf } from "./table.ts";
import { checkFormat, formatOfOutput } from "./target-format.ts";
import { unreadable } from "./unreadable.ts";

type JoinFlags = ServerFlags & OptionFlags & { readonly to?: string };

export function addJoinCommand(program: Command, shell: Shell): void {
  withOptions(withServer(program.command("join")))
    .description("join files, in the order given, into one PDF, TIFF, video, audio file or e-book")
    .argument("<paths...>", "IN IN… OUT: two or more files, then the result")
    .option("--to <format>", "output format; default: from the name of the output")
    .action(async (paths: string[], flags: JoinFlags, command: Command) => {
      const [outputPath, ...parts] = paths.map((path) => resolve(shell.callerFolder, path)).reverse();
      if (outputPath === undefined || parts.length < 2) return command.error("error: name two or more files, then the result OUT");
      if (parts.includes(outputPath)) {
        throw new FilemillError("BAD_REQUEST", "The result would overwrite one of the files; give it another name or folder.");
      }
      const options = await optionsOf(flags, shell);
      if (flags.to === undefined) formatOfOutput(outputPath);
      else checkFormat("--to", flags.to);
      const folder = await mkdtemp(join(tmpdir(), "filemill-join-"));
      try {
        const inputPath = join(folder, "joined.zip");
        await packInOrder(parts.reverse(), inputPath, shell.signal);
        const server = serverAddressOf(flags, shell);
        using bars = await openProgressBars(shell.isInteractive);
        const line = bars.add(relative(shell.callerFolder, outputPath));
        await using library = await openConversions(server, shell);
        const { signal } = shell;
        const { notes } = await library.convert({
          inputPath,
          outputPath,
          from: "zip",
          options,
          signal,
          onProgress: line.show,
          ...(flags.to && { to: flags.to }),
        });
        line.end();
        for (const { code, message } of notes) shell.err(`${code}: ${inOwnWords(message)}`);
        const { size } = await stat(outputPath);
        shell.err(`${parts.length} files -> ${relative(shell.callerFolder, outputPath)} (${sizeOf(size)})`);
      } catch (error) {
        shell.signal.throwIfAborted();
        throw error;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
}

/** Writes a ZIP archive whose entry names show the order: `01-cover.png`. Does not compress, because most inputs already are. */
async function packInOrder(paths: readonly string[], zipPath: string, signal: AbortSignal): Promise<void> {
  const { ZipFile } = (await import("yazl")).default;
  const archive = new ZipFile();
  const digits = String(paths.length).length;
  for (const [index, path] of paths.entries()) {
    const facts = await stat(path).catch(unreadable(path, "BAD_REQUEST"));
    if (!facts.isFile()) throw new FilemillError("BAD_REQUEST", `${path} is not a file.`);
    archive.addFile(path, `${String(index + 1).padStart(digits, "0")}-${basename(path)}`, { compress: false });
  }
  archive.end();
  const failed = new AbortController();
  archive.on("error", (error: Error) => failed.abort(error));
  const either = AbortSignal.any([signal, failed.signal]);
  await pipeline(archive.outputStream, createWriteStream(zipPath, { flags: "wx" }), { signal: either }).catch((error: unknown) => {
    throw either.aborted ? either.reason : error;
  });
}
