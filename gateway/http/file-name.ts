/** The longest that a file's name is on most systems, in bytes of UTF-8. */
const maxBytes = 255;
const maxExtensionCharacters = 17;

/** The name of an upload with its extension, cut in the middle where it is longer than a file's name can be. */
export function boundedFileName(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const extension = /\.[^./\\]+$/.exec(name.slice(-maxExtensionCharacters))?.[0] ?? "";
  const room = new Uint8Array(maxBytes - Buffer.byteLength(extension));
  const { read } = new TextEncoder().encodeInto(name.slice(0, name.length - extension.length), room);
  return name.slice(0, read) + extension;
}
