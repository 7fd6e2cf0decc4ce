import { afterEach, expect, it, vi } from "vitest";
import { follow } from "#client/convert/follow.ts";
import { upload } from "#client/convert/upload.ts";
import { ApiError, call } from "#client/server/api.ts";
import "#test/gateway/web/client/english.ts";

afterEach(() => void vi.unstubAllGlobals());

const page = (): Response => new Response("<html>Welcome to the hotel</html>");
/** Sends headers, then the body breaks off. */
const cut = (): Response => new Response(new ReadableStream({ pull: (body) => body.error(new TypeError("network error")) }));

function answering(...answers: readonly (() => Response)[]): void {
  const left = [...answers];
  vi.stubGlobal("fetch", async () => left.shift()?.() ?? Response.error());
}

it.each([
  ["OFFLINE", cut],
  ["UNREADABLE_ANSWER", page],
])("rejects an unreadable answer with an ApiError: %s", async (code, answer) => {
  answering(answer);
  const error = await call("/jobs").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code });
});

it("rejects with the underlying error if aborted while the body is read", async () => {
  answering(cut);
  await expect(call("/jobs", { signal: AbortSignal.abort() })).rejects.toThrow("network error");
});

it("keeps following a job after unrelated or truncated answers", async () => {
  vi.stubGlobal("document", { visibilityState: "hidden" });
  answering(
    page,
    cut,
    () => new Response(""),
    () => Response.json({ job: { id: "j", status: "done" } }),
  );
  let lost = 0;
  const job = await follow(
    "j",
    () => {},
    new AbortController().signal,
    () => void lost++,
  );
  expect([job.status, lost]).toEqual(["done", 3]);
});

it("rejects with the server's error for the job", async () => {
  vi.stubGlobal("document", { visibilityState: "hidden" });
  answering(() => Response.json({ error: { code: "JOB_NOT_FOUND", message: "No." } }, { status: 404 }));
  await expect(follow("j", () => {}, new AbortController().signal)).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
});

it.each([
  ["<html>Welcome to the hotel</html>", "UNREADABLE_ANSWER"],
  ['{"error":', "UNREADABLE_ANSWER"],
])("rejects an upload that is answered with %s", async (responseText, code) => {
  class Request extends EventTarget {
    readonly status = 200;
    readonly upload = new EventTarget();
    readonly responseText = responseText;
    open(): void {}
    setRequestHeader(): void {}
    send(): void {
      queueMicrotask(() => this.dispatchEvent(new Event("load")));
    }
  }
  vi.stubGlobal("XMLHttpRequest", Request);
  const file = new File(["x"], "x.txt");
  const { signal } = new AbortController();
  const wanted = { file, to: "pdf", from: undefined, options: {}, idempotencyKey: "k", signal, begun: undefined };
  await expect(upload({ ...wanted, onBegun() {}, onProgress() {} })).rejects.toMatchObject({ code });
});
