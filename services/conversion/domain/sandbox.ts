/** The port to the only place that starts processes. */

/** Bounds of one sandboxed process tree. */
export type SandboxLimits = {
  /** Until the whole tree is killed. 0: no bound (a persistent child, whose jobs have their own). */
  readonly wallMs: number;
  /** Of each process, and of the tree, looked at twice a second. */
  readonly cpuSeconds: number;
  /** Resident memory of the tree, looked at ten times a second, and address space or writable memory of each process. */
  readonly memoryBytes: number;
  /** False for tools that reserve far more address space than they use (Node, Chromium). */
  readonly addressSpace: boolean;
  readonly processes: number;
  readonly openFiles: number;
  /** Of any one file. */
  readonly fileBytes: number;
  /** Of all that the tree writes into its folder. */
  readonly folderBytes: number;
  /** Size of the private /tmp. */
  readonly tmpBytes: number;
  /** From 0 to 19: how much others go first when processors are short. */
  readonly niceness: number;
};

/** A program in the sandbox. Paths inside: `/job` is the private folder, read-only binds are where `readOnly` puts them. */
export type SandboxCommand = {
  /** Absolute path inside the sandbox, for example /usr/bin/pandoc. */
  readonly program: string;
  readonly args: readonly string[];
  /** Beside PATH, HOME, TMPDIR, LANG and TZ. */
  readonly env?: Readonly<Record<string, string>>;
  /** Host folder that becomes `/job`; absent: an empty one. */
  readonly folder?: string;
  /** Host path to path inside. */
  readonly readOnly?: Readonly<Record<string, string>>;
  readonly limits?: Partial<SandboxLimits>;
  /** Of one file and of the folder, where that is less than the limits allow. */
  readonly outputBytes?: number;
  readonly signal?: AbortSignal;
  /** Each line of standard output as it comes (for progress). */
  onLine?(line: string): void;
};

export type SandboxEnd = {
  /** undefined: ended by itself; else why the tree was killed. */
  readonly killed: "timeout" | "aborted" | "memory" | "folder" | "processor" | undefined;
  /** Exit code; undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The first 64 KiB of each stream. */
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
  /** Processor time of the tree as far as it was seen; what was not looked at counts as one busy processor. */
  readonly processorMs: number;
  /** What one file could have, or all that the tree wrote, whichever is less. */
  readonly outputBytes: number;
};

export type RequestBounds = {
  readonly timeoutMs: number;
  /** Of all processes of the child that live; looked at once a second. */
  readonly cpuSeconds?: number;
  readonly signal?: AbortSignal;
  /** Of what lies in its folder; looked at once a second. */
  readonly outputBytes?: number;
  /** Told once, when the request has ended: its processor time, as in SandboxEnd. */
  onSpent?(processorMs: number): void;
};

/** A process that serves many jobs and speaks lines of JSON over its standard streams. */
export type SandboxChild = AsyncDisposable & {
  readonly pid: number;
  /** Host folder that is `/job` inside. */
  readonly folder: string;
  /** Sends one request line and resolves with the next answer line, parsed. Rejects when the child ends, or is killed at one of its bounds. */
  request(message: unknown, bounds: RequestBounds): Promise<unknown>;
  /** Resolves when the child has ended. */
  readonly ended: Promise<SandboxEnd>;
  readonly alive: boolean;
  /** Resident memory of the tree in bytes, now. */
  memoryBytes(): Promise<number>;
  kill(): void;
};

export type Sandbox = {
  /** "full": namespaces and seccomp; "degraded": Landlock and seccomp only, asked for by SANDBOX=degraded. */
  readonly mode: "full" | "degraded";
  /** Runs to the end. Rejects only when the sandbox itself fails to start (UNAVAILABLE), never for what the program does. */
  run(command: SandboxCommand): Promise<SandboxEnd>;
  /** Starts a persistent child; its folder is made for it and removed with it. */
  spawn(command: Omit<SandboxCommand, "folder" | "onLine">): Promise<SandboxChild>;
  /** A private scratch folder that sandboxed programs may write to; removed, whatever its modes, when disposed. */
  openScratch(): Promise<AsyncDisposable & { readonly path: string }>;
};
