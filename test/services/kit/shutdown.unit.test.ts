import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { exitOnSignal } from "#kit/shutdown.ts";

/** The part of a process that shutdown needs: signals in, exit codes out. */
class Process extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): never {
    this.exits.push(code);
    return undefined as never;
  }
}

let process: Process;
beforeEach(() => {
  vi.useFakeTimers();
  process = new Process();
});
afterEach(() => vi.useRealTimers());

test("shuts down gracefully on the first signal and ignores its immediate repeat", async () => {
  let ended = (): void => undefined;
  exitOnSignal(process, 10_000, () => new Promise((resolve) => (ended = resolve)));
  process.emit("SIGINT");
  await vi.advanceTimersByTimeAsync(20);
  process.emit("SIGINT");
  expect(process.exits).toEqual([]);
  ended();
  await vi.advanceTimersByTimeAsync(0);
  expect(process.exits).toEqual([0]);
});

test("exits at once on a later signal of either kind", async () => {
  exitOnSignal(process, 10_000, () => new Promise(() => undefined));
  process.emit("SIGTERM");
  await vi.advanceTimersByTimeAsync(600);
  process.emit("SIGINT");
  expect(process.exits).toEqual([130]);
});

test("exits with 130 if shutdown times out or fails", async () => {
  exitOnSignal(process, 10_000, () => new Promise(() => undefined));
  process.emit("SIGTERM");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(process.exits).toEqual([130]);

  const other = new Process();
  exitOnSignal(other, 10_000, () => Promise.reject(new Error("the disk is gone")));
  other.emit("SIGTERM");
  await vi.advanceTimersByTimeAsync(0);
  expect(other.exits).toEqual([130]);
});
