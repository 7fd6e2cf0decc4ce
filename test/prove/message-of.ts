/** The error message for a row of the proof file: without names that differ from run to run. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? `${"code" in error ? `${String(error.code)}: ` : ""}${error.message}` : String(error);
  return text
    .replaceAll(/\/\S*\/([^/\s]+)/g, "$1")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "FILE")
    .slice(0, 140);
}
