/** Files out of folders, with the folders that they lie in. */

export type Chosen = {
  readonly file: File;
  /** Folders between what was dropped and the file, from the outermost in, for example "photos/summer"; empty for a file by itself. */
  readonly folder: string;
};

export type Walked = {
  readonly chosen: readonly Chosen[];
  /** Paths of files and folders that the browser could not open. */
  readonly unreadable: readonly string[];
  /** There were more files than a list can hold; the rest was left out. */
  readonly cut: boolean;
};

/** A list of more is nothing that a person looks at, and each of its files is kept by the browser. */
export const MAX_FILES = 2000;

/** What systems put into folders for themselves. */
const ofSystem = /^(\.DS_Store|\._.*|Thumbs\.db|desktop\.ini)$/i;

/** The entries of a drop. They have to be taken while its event is told; afterwards the browser gives none. */
export function entriesOf(data: DataTransfer | null): readonly (FileSystemEntry | File)[] {
  return [...(data?.items ?? [])].flatMap((each) => (each.kind === "file" ? (each.webkitGetAsEntry() ?? each.getAsFile() ?? []) : []));
}

/** Walks through folders and subfolders, in the order of names as people count. Never rejects. */
export async function walk(entries: readonly (FileSystemEntry | File)[]): Promise<Walked> {
  const chosen: Chosen[] = [];
  const unreadable: string[] = [];
  let cut = false;
  // Folders are put back on top, so that what belongs together stays together.
  const open: { entry: FileSystemEntry | File; folder: string }[] = entries.map((entry) => ({ entry, folder: "" })).toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { entry, folder } = next;
    const path = under(folder, entry.name);
    try {
      if (entry instanceof File) chosen.push({ file: entry, folder });
      else if (isFile(entry)) {
        if (!ofSystem.test(entry.name)) chosen.push({ file: await fileOf(entry), folder });
      } else if (isDirectory(entry)) {
        const inside = (await entriesIn(entry)).toSorted((a, b) => byName(a.name, b.name));
        open.push(...inside.map((each) => ({ entry: each, folder: path })).toReversed());
      }
    } catch {
      unreadable.push(path);
    }
    if (chosen.length === MAX_FILES && open.length > 0) {
      cut = true;
      break;
    }
  }
  return { chosen, unreadable, cut };
}

/** The files of an input; of one for folders each has its path. */
export function chosenIn(files: Iterable<File>): Walked {
  const all = [...files]
    .filter(({ name, webkitRelativePath }) => webkitRelativePath === "" || !ofSystem.test(name))
    .map((file): Chosen => ({ file, folder: file.webkitRelativePath.split("/").slice(0, -1).join("/") }))
    .toSorted((a, b) => (a.folder === "" && b.folder === "" ? 0 : byName(under(a.folder, a.file.name), under(b.folder, b.file.name))));
  return { chosen: all.slice(0, MAX_FILES), unreadable: [], cut: all.length > MAX_FILES };
}

const { compare: byName } = new Intl.Collator("en", { numeric: true });

function under(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** A reader gives a part at a time (Chromium a hundred) and says by an empty one that there is no more. */
async function entriesIn(directory: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return all;
    all.push(...part);
    if (all.length > MAX_FILES) return all;
  }
}
