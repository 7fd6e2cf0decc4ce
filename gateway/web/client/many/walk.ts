/** Reads files from folders and keeps their paths. */

export type Chosen = {
  readonly file: File;
  /** Folders between the dropped item and the file, outermost first, such as "photos/summer"; empty for a single file. */
  readonly folder: string;
};

export type Walked = {
  readonly chosen: readonly Chosen[];
  /** Paths of files and folders that the browser could not read. */
  readonly unreadable: readonly string[];
  /** True if there were more files than the list can hold. The rest was left out. */
  readonly cut: boolean;
};

/** Nobody looks at a longer list, and the browser keeps a copy of every file in it. */
export const MAX_FILES = 2000;

/** Files that operating systems put into folders. */
const ofSystem = /^(\.DS_Store|\._.*|Thumbs\.db|desktop\.ini)$/i;

/** The entries of a drop. They are available only inside the event handler. */
export function entriesOf(data: DataTransfer | null): readonly (FileSystemEntry | File)[] {
  return [...(data?.items ?? [])].flatMap((each) => (each.kind === "file" ? (each.webkitGetAsEntry() ?? each.getAsFile() ?? []) : []));
}

/** Reads folders and subfolders in natural order of names. Never rejects. */
export async function walk(entries: readonly (FileSystemEntry | File)[]): Promise<Walked> {
  const chosen: Chosen[] = [];
  const unreadable: string[] = [];
  let cut = false;
  // The content of a folder goes on top of the stack, so that it stays together.
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

/** The files of a file input, with their folders if a folder was chosen. */
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

/** A reader returns the entries in parts (a hundred in Chromium); an empty part marks the end. */
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
