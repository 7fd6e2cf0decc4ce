/** Makes names unique, because files with the same name would overwrite each other when unpacked. */
export function uniqueNames(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    const [, stem = name, extension = ""] = /^(.*?)(\.[^./]*)?$/s.exec(name) ?? [];
    let unique = name;
    for (let count = 2; taken.has(unique.toLowerCase()); count++) unique = `${stem} (${count})${extension}`;
    taken.add(unique.toLowerCase());
    return unique;
  };
}

/** The file name in a Content-Disposition header (RFC 6266). Prefers the extended form. */
export function fileNameOf(header: string | null): string | undefined {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(header ?? "")?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  const [, quoted, token] = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header ?? "") ?? [];
  return quoted?.replaceAll(/\\(.)/g, "$1") ?? token;
}

/** Limit for what a tab holds in memory for a preview. */
const maxShownBytes = 64_000_000;

/** True if a result is small enough to be shown from memory. */
export function isShowable(bytes: number): boolean {
  return bytes <= maxShownBytes;
}
