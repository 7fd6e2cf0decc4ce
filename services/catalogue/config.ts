import type { Settings } from "#kit/settings.ts";

/** The settings that the catalogue service reads. */
export type CatalogueSettings = Pick<Settings, "DATA_DIR" | "PROOF_FILE">;
