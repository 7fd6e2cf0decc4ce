/** Debian's Firefox, driven through its built-in WebDriver BiDi. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { removeFolder } from "./folders.ts";

const program = "/usr/bin/firefox-esr";
/** `apt-get install firefox-esr`: 300 MB, so it is not installed with the other test programs. */
export const hasFirefox: boolean = existsSync(program);

export type FirefoxPage = AsyncDisposable & {
  /** Errors that page scripts threw or logged. Must be empty. */
  readonly faults: string[];
  open(url: string): Promise<void>;
  /** Resolves with the value of an expression once it has one. */
  value<T>(expression: string): Promise<T>;
  /** Clicks the element that an expression returns, once it exists. */
  click(expression: string): Promise<void>;
  type(expression: string, key: string): Promise<void>;
  choose(expression: string, files: readonly string[]): Promise<void>;
};

type Answer = {
  readonly id?: number;
  readonly type: string;
  readonly message?: string;
  readonly result?: unknown;
  readonly params?: unknown;
};
type Remote = { readonly type: string; readonly value?: unknown; readonly sharedId?: string };
const patienceMs = 60_000;

export async function openFirefox(): Promise<FirefoxPage> {
  const home = await mkdtemp(join(tmpdir(), "filemill-firefox-"));
  const args = ["--headless", "--no-remote", "--profile", home, "--remote-debugging-port", "0"];
  const firefox = spawn(program, args, { env: { ...process.env, HOME: home, LANG: "en_US.UTF-8" }, stdio: ["ignore", "ignore", "pipe"] });
  const faults: string[] = [];
  const { send, close } = await connect(await addressIn(firefox.stderr), faults);
  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  const { context } = (await send("browsingContext.create", { type: "tab" })) as { context: string };

  async function found(expression: string): Promise<Remote> {
    for (const endMs = Date.now() + patienceMs; Date.now() < endMs; await sleep(50)) {
      const result = await evaluate(send, context, expression);
      if (!["undefined", "null"].includes(result.type) && result.value !== false && result.value !== 0) return result;
    }
    throw new Error(`not within a minute: ${expression}`);
  }
  const element = async (expression: string) => ({ sharedId: (await found(expression)).sharedId });
  const perform = (actions: readonly object[]) => send("input.performActions", { context, actions });
  return {
    faults,
    open: async (url) => void (await send("browsingContext.navigate", { context, url, wait: "complete" })),
    value: async <T>(expression: string) => (await found(expression)).value as T,
    async click(expression) {
      const origin = {
        type: "element",
        element: await element(`(() => { const e = ${expression}; e?.scrollIntoView({ block: "center" }); return e })()`),
      };
      const actions = [
        { type: "pointerMove", x: 0, y: 0, origin },
        { type: "pointerDown", button: 0 },
        { type: "pointerUp", button: 0 },
      ];
      await perform([{ type: "pointer", id: "mouse", actions }]);
    },
    async type(expression, key) {
      await found(`(() => { const e = ${expression}; e?.focus(); return e })()`);
      await perform([
        {
          type: "key",
          id: "keys",
          actions: [
            { type: "keyDown", value: key },
            { type: "keyUp", value: key },
          ],
        },
      ]);
    },
    choose: async (expression, files) => void (await send("input.setFiles", { context, element: await element(expression), files })),
    async [Symbol.asyncDispose]() {
      close();
      firefox.kill();
      await new Promise((resolve) => firefox.once("exit", resolve));
      await removeFolder(home);
    },
  };
}

type Send = (method: string, params: object) => Promise<unknown>;

async function evaluate(send: Send, context: string, expression: string): Promise<Remote> {
  const asked = { expression, target: { context }, awaitPromise: true, resultOwnership: "root" };
  const { result, exceptionDetails } = (await send("script.evaluate", asked)) as { result: Remote; exceptionDetails?: { text: string } };
  if (exceptionDetails !== undefined) throw new Error(`${expression}: ${exceptionDetails.text}`);
  return result;
}

async function addressIn(lines: NodeJS.ReadableStream): Promise<string> {
  const reading = createInterface(lines);
  for await (const line of reading) {
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
    if (address === undefined) continue;
    // Keeps reading its output, so that it does not block.
    lines.resume();
    return `${address}/session`;
  }
  throw new Error("Firefox ended before it listened.");
}

async function connect(address: string, faults: string[]) {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id !== undefined) return waiting.get(answer.id)?.(answer);
    const { level, text } = answer.params as { level?: string; text?: string };
    if (level === "error") faults.push(text ?? "");
  };
  let last = 0;
  const send = async (method: string, params: object): Promise<unknown> => {
    last += 1;
    const id = last;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { type, message, result } = await answered;
    if (type === "error") throw new Error(`${method}: ${message}`);
    return result;
  };
  return { send, close: () => socket.close() };
}
