import { downloadZip } from "client-zip";
import { errorOf } from "#client/server/api.ts";
import type { Item } from "./items.ts";
import { fileNameOf, uniqueNames } from "./names.ts";

/** Downloads the results one by one and saves them as one archive, in the folders of their source files. Rejects with an ApiError. */
export async function saveAsZip(finished: readonly Item[], nameOf: (item: Item) => string): Promise<void> {
  const archive = downloadZip(resultsOf(finished, finished.map(nameOf)));
  save(await archive.blob(), "filemill.zip");
}

async function* resultsOf(finished: readonly Item[], likelyNames: readonly string[]) {
  const unique = uniqueNames();
  for (const [index, { jobId, folder }] of finished.entries()) {
    const response = await fetch(`/web/v1/jobs/${jobId}/download`, { credentials: "same-origin" });
    if (!response.ok) throw errorOf(response.status, await response.text(), null);
    // Prefers the server's name: a document with several pages becomes an archive of pictures.
    const name = fileNameOf(response.headers.get("content-disposition")) ?? likelyNames[index] ?? "result";
    yield { name: unique(folder === "" ? name : `${folder}/${name}`), input: response, lastModified: new Date() };
  }
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
