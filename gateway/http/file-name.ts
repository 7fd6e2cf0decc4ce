/** Maximum length of a file name on most systems, in bytes of UTF-8. */
const maxBytes = 255;
const maxExtensionCharacters = 17;

/** Shortens a name that is too long for a file system, and keeps its extension. */
export function boundedFileName(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const extension = /\.[^./\\]+$/.exec(name.slice(-maxExtensionCharacters))?.[0] ?? "";
  const room = new Uint8Array(maxBytes - Buffer.byteLength(extension));
  const { read } = new TextEncoder().encodeInto(name.slice(0, name.length - extension.length), room);
  return name.slice(0, read) + extension;
}
