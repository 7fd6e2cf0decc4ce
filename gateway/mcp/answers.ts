import { ConnectError } from "@connectrpc/connect";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { FilemillError, fromConnectError, isErrorCode } from "#contract/errors.ts";
import type { ConversionView, JobView, OptionView, RouteView, Workbench } from "./workbench.ts";

/** Runs a tool. Errors are returned to the model with their code, so that it can correct its call. */
export async function toolAnswer({ defect }: Pick<Workbench<never>, "defect">, run: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    return textAnswer(await run());
  } catch (error) {
    const known = error instanceof ConnectError ? fromConnectError(error) : error;
    if (known instanceof FilemillError) return refusal(known);
    defect(error);
    return refusal(new FilemillError("INTERNAL", "Something went wrong on our side."));
  }
}

function refusal({ code, message, details }: FilemillError): CallToolResult {
  const more = details === undefined ? "" : ` ${JSON.stringify(details)}`;
  return { isError: true, content: [{ type: "text", text: `${code}: ${message}${more}` }] };
}

/** Compact JSON or plain text, because every word uses up the model's context. */
function textAnswer(value: unknown): CallToolResult {
  return { content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] };
}

/** A job as a tool's answer. Throws if the job failed, so that the agent sees an error. */
export function endAnswer(job: JobView): object {
  if (job.error === null) return jobAnswer(job);
  const { code, message } = job.error;
  throw new FilemillError(isErrorCode(code) ? code : "INTERNAL", message);
}

export function jobAnswer({ id, status, from, to, bytes, notes, error, queuePosition, estimateMs, delivery, path }: JobView): object {
  const unfinished = status === "queued" || status === "running";
  return {
    ...{ job: id, status, from, to },
    ...(status === "done" ? { bytes } : {}),
    ...(path === undefined || status !== "done" ? {} : { path }),
    ...(notes.length === 0 ? {} : { notes: notes.map(({ code, message }) => `${code}: ${message}`) }),
    ...(error === null ? {} : { error: `${error.code}: ${error.message}` }),
    ...(delivery === undefined ? {} : { delivery }),
    ...(unfinished ? { queuePosition, estimateMs, next: "call job_status with wait_seconds" } : {}),
  };
}

/** One line per target, such as `webp high`, with a mark if the conversion is always queued. */
export function conversionLine({ to, fidelity, async }: ConversionView): string {
  return `${to} ${fidelity}${async ? " queued" : ""}`;
}

export function routeAnswer({ from, to, fidelity, maxInputMb, options, hops, expectedNotes, estimateMs }: RouteView): object {
  return {
    ...{ from, to, fidelity, maxInputMb, estimateMs },
    steps: hops.map((hop) => `${hop.from} -> ${hop.to} by ${hop.engine}`),
    notesToExpect: expectedNotes.map(({ code, message }) => `${code}: ${message}`),
    options: Object.fromEntries(options.map((option) => [option.name, optionLine(option)])),
  };
}

function optionLine({ type, default: preset, description, min, max, values, unit }: OptionView): string {
  const range = values?.join("|") ?? (min === undefined && max === undefined ? "" : `${min ?? ""}..${max ?? ""}`);
  const facts = [`${type}${unit === undefined ? "" : ` in ${unit}`}`, range, preset === null ? "" : `default ${String(preset)}`];
  return `${description} (${facts.filter((fact) => fact !== "").join(", ")})`;
}
