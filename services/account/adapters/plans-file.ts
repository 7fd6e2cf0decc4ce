import { readFile } from "node:fs/promises";
import { SettingError } from "#kit/config.ts";
import { defaultPlans, type Plans, parsePlans } from "../domain/plans.ts";

/** The deployment's plans, or the default ones without a file. Rejects with SettingError, which names the file and the problem. */
export async function readPlans(file: string | undefined): Promise<Plans> {
  if (file === undefined) return defaultPlans;
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new SettingError(`PLANS_FILE ${file}: cannot be read (${reason})`);
  });
  return parsePlans(text, file);
}
