import type { Settings } from "#kit/settings.ts";

/** The settings that the account service reads. */
export type AccountSettings = Pick<Settings, "PLANS_FILE" | "SIGN_UP">;
