/** Plans: what an account may do. There are two by default; a deployment can define its own in one JSON file. */
import { create } from "@bufbuild/protobuf";
import { type Plan, PlanSchema } from "#gen/filemill/account/v1/account_pb.ts";
import { SettingError } from "#kit/config.ts";

export type Plans = ReadonlyMap<string, Plan>;

type Bounds = { readonly min: number; readonly max: number };
const boundsOf = {
  maxInputMb: { min: 1, max: 1_000_000 },
  requestsPerMinute: { min: 1, max: 10_000_000 },
  maxUnfinishedJobs: { min: 1, max: 1_000_000 },
  retentionSeconds: { min: 1, max: 2_592_000 },
  maxStoredMb: { min: 1, max: 1_000_000_000 },
  maxResultMb: { min: 1, max: 1_000_000 },
  processorSecondsPerHour: { min: 1, max: 100_000_000 },
} as const satisfies Record<string, Bounds>;
type NumberField = keyof typeof boundsOf;

/**
 * Defaults for plan files without these fields, which older files lack. Everyday work stays far below them. The largest file of a free
 * plan, 25 MB of speech at 64 kbit/s, becomes half a gigabyte as WAV.
 */
const usual = {
  free: { maxStoredMb: 1000, maxResultMb: 500, processorSecondsPerHour: 1800 },
  plus: { maxStoredMb: 20_000, maxResultMb: 8000, processorSecondsPerHour: 36_000 },
} as const;

const fieldNames: readonly string[] = ["label", "apiAccess", ...Object.keys(boundsOf)];
const planId = /^[a-z][a-z0-9-]{0,31}$/;

export const defaultPlans: Plans = new Map([
  planEntry("free", {
    apiAccess: false,
    maxInputMb: 25,
    requestsPerMinute: 10,
    maxUnfinishedJobs: 5,
    retentionSeconds: 86_400,
    ...usual.free,
  }),
  planEntry("plus", {
    apiAccess: true,
    maxInputMb: 500,
    requestsPerMinute: 60,
    maxUnfinishedJobs: 20,
    retentionSeconds: 86_400,
    ...usual.plus,
  }),
]);

/**
 * Reads `{ "<plan id>": { "apiAccess", "maxInputMb", "requestsPerMinute", "maxUnfinishedJobs", "retentionSeconds" } }`. All of these are
 * required. The only other fields allowed are `label`, the name that people see, and the limits on storage and use: `maxStoredMb`,
 * `maxResultMb` and `processorSecondsPerHour`. Throws SettingError, which names the file and the field.
 */
export function parsePlans(text: string, file: string): Plans {
  const fail = (problem: string): never => {
    throw new SettingError(`PLANS_FILE ${file}: ${problem}`);
  };
  const table = parseObject(text);
  if (table === undefined) return fail("must hold one JSON object of plans by their id");
  const plans = new Map<string, Plan>();
  for (const [id, row] of Object.entries(table)) {
    if (!planId.test(id)) fail(`"${id}" is not a plan id (lower-case letters, digits, dashes; a letter first)`);
    if (!isObject(row)) return fail(`${id} must be an object`);
    const unknown = Object.keys(row).find((name) => !fieldNames.includes(name));
    if (unknown !== undefined) fail(`${id}.${unknown} is not a field of a plan (${fieldNames.join(", ")})`);
    if (typeof row.apiAccess !== "boolean") return fail(`${id}.apiAccess must be true or false, not ${shown(row.apiAccess)}`);
    const usualOf: Readonly<Record<string, number>> = row.apiAccess ? usual.plus : usual.free;
    const number = (field: NumberField): number => numberOf(row[field] ?? usualOf[field], `${id}.${field}`, boundsOf[field], fail);
    const label = labelOf(row.label, id);
    if (label === undefined) fail(`${id}.label must be text of 1 to 40 characters, not ${shown(row.label)}`);
    const numbers = numbersOf(number);
    // A file without maxStoredMb still gives a plan for large files room for several of them.
    if (row.maxStoredMb === undefined) numbers.maxStoredMb = Math.max(numbers.maxStoredMb, 4 * numbers.maxInputMb);
    if (numbers.maxStoredMb < numbers.maxInputMb) {
      fail(
        `${id}.maxStoredMb must be at least ${id}.maxInputMb (${numbers.maxInputMb}), not ${numbers.maxStoredMb}: no such file would fit`,
      );
    }
    plans.set(...planEntry(id, { label, apiAccess: row.apiAccess, ...numbers }));
  }
  if (plans.size === 0) fail("holds no plan");
  return plans;
}

function numbersOf(number: (field: NumberField) => number): Record<NumberField, number> {
  return {
    maxInputMb: number("maxInputMb"),
    requestsPerMinute: number("requestsPerMinute"),
    maxUnfinishedJobs: number("maxUnfinishedJobs"),
    retentionSeconds: number("retentionSeconds"),
    maxStoredMb: number("maxStoredMb"),
    maxResultMb: number("maxResultMb"),
    processorSecondsPerHour: number("processorSecondsPerHour"),
  };
}

function numberOf(value: unknown, field: string, { min, max }: Bounds, fail: (problem: string) => never): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  return fail(`${field} must be an integer from ${min} to ${max}, not ${shown(value)}`);
}

function planEntry(
  id: string,
  { label = capitalized(id), ...row }: { label?: string | undefined; apiAccess: boolean } & Record<NumberField, number>,
): [string, Plan] {
  return [id, create(PlanSchema, { id, label, ...row })];
}

function labelOf(value: unknown, id: string): string | undefined {
  if (value === undefined) return capitalized(id);
  return typeof value === "string" && /^[^\p{Cc}]{1,40}$/u.test(value) ? value : undefined;
}

function capitalized(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value);
}
