import type { Settings } from "#kit/settings.ts";

/** The settings that the conversion service reads. */
export type ConversionSettings = Pick<
  Settings,
  | "DATA_DIR"
  | "BLOBS"
  | "JOB_ADDRESS"
  | "LEASE_MS"
  | "CONVERSION_TIMEOUT_MS"
  | "IMAGE_SLOTS"
  | "DOCUMENT_SLOTS"
  | "OFFICE_SLOTS"
  | "MEDIA_SLOTS"
  | "JOB_MEMORY_MB"
  | "SANDBOX"
  | "SANDBOX_UID"
>;
