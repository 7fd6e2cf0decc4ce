/** The port to the only code that starts processes. */

/** Limits of one sandboxed process tree. */
export type SandboxLimits = {
  /** Time until the whole tree is killed; 0: no limit (a persistent child, whose jobs have their own limits). */
  readonly wallMs: number;
  /** For each process, and for the tree, checked twice a second. */
  readonly cpuSeconds: number;
  /** Resident memory of the tree, checked ten times a second, and address space or writable memory of each process. */
  readonly memoryBytes: number;
  /** False for tools that reserve far more address space than they use (Node, Chromium). */
  readonly addressSpace: boolean;
  readonly processes: number;
  readonly openFiles: number;
  /** For any single file. */
  readonly fileBytes: number;
  /** For everything that the tree writes into its folder. */
  readonly folderBytes: number;
  /** Size of the private /tmp. */
  readonly tmpBytes: number;
  /** From 0 to 19: how much it yields to others when CPUs are busy. */
  readonly niceness: number;
};

/** A program in the sandbox. Paths inside: `/job` is the private folder, and read-only binds are where `readOnly` puts them. */
export type SandboxCommand = {
  /** Absolute path inside the sandbox, for example /usr/bin/pandoc. */
  readonly program: string;
  readonly args: readonly string[];
  /** In addition to PATH, HOME, TMPDIR, LANG and TZ. */
  readonly env?: Readonly<Record<string, string>>;
  /** Host folder that becomes `/job`. Undefined: an empty folder. */
  readonly folder?: string;
  /** Host path to path inside. */
  readonly readOnly?: Readonly<Record<string, string>>;
  readonly limits?: Partial<SandboxLimits>;
  /** For one file and for the folder, if that is less than the limits allow. */
  readonly outputBytes?: number;
  readonly signal?: AbortSignal;
  /** Called with each line of standard output as it arrives (for progress). */
  onLine?(line: string): void;
};

export type SandboxEnd = {
  /** Undefined: it ended by itself. Otherwise the reason why the tree was killed. */
  readonly killed: "timeout" | "aborted" | "memory" | "folder" | "processor" | undefined;
  /** Exit code; undefined if a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The first 64 KiB of each stream. */
  readonly stdout: string;
  readonly stderr: string;
  /** Observed CPU time of the tree. Time that was not observed counts as one busy CPU. */
  readonly processorMs: number;
  /** The limit for one file or for everything that the tree writes, whichever is less. */
  readonly outputBytes: number;
};

export type RequestBounds = {
  readonly timeoutMs: number;
  /** For all live processes of the child, checked once a second. */
  readonly cpuSeconds?: number;
  readonly signal?: AbortSignal;
  /** For the content of its folder, checked once a second. */
  readonly outputBytes?: number;
  /** Called once, when the request has ended, with its CPU time as in SandboxEnd. */
  onSpent?(processorMs: number): void;
};

/** A process that serves many jobs and exchanges lines of JSON over its standard streams. */
export type SandboxChild = AsyncDisposable & {
  readonly pid: number;
  /** Host folder that is `/job` inside. */
  readonly folder: string;
  /** Sends one request line and resolves with the next answer line, parsed. Rejects if the child ends or is killed at one of its limits. */
  request(message: unknown, bounds: RequestBounds): Promise<unknown>;
  /** Resolves when the child has ended. */
  readonly ended: Promise<SandboxEnd>;
  readonly alive: boolean;
  /** Current resident memory of the tree in bytes. */
  memoryBytes(): Promise<number>;
  kill(): void;
};

export type Sandbox = {
  /** "full": namespaces and seccomp. "degraded": only Landlock and seccomp, chosen with SANDBOX=degraded. */
  readonly mode: "full" | "degraded";
  /**
   * Runs the program to its end. Rejects only if the sandbox itself fails to start (UNAVAILABLE), never because of what the program does.
   */
  run(command: SandboxCommand): Promise<SandboxEnd>;
  /** Starts a persistent child. Its folder is created for it and removed with it. */
  spawn(command: Omit<SandboxCommand, "folder" | "onLine">): Promise<SandboxChild>;
  /** A private scratch folder that sandboxed programs may write to. Disposing removes it, whatever its file modes. */
  openScratch(): Promise<AsyncDisposable & { readonly path: string }>;
};
