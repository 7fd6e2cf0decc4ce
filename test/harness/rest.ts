/** The REST API as a client without any knowledge of the product uses it, and what every error must look like. */
import { expect } from "vitest";
import type { TestServer } from "./server.ts";

/** The smallest PNG: one transparent pixel. */
export const pixel: Uint8Array<ArrayBuffer> = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** One request of `POST /api/v1/convert`; what is not said makes a good one. */
export type Upload = {
  /** Empty: the field is left out. */
  readonly to?: string;
  readonly file?: Uint8Array<ArrayBuffer>;
  /** Empty, with an empty file: the field is left out. */
  readonly name?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of one more field. */
  readonly extra?: string;
};

export function post(server: TestServer, upload: Upload = {}): Promise<Response> {
  const { to = "webp", file = pixel, name = "a.png", query = "", headers = {}, extra } = upload;
  const form = new FormData();
  if (to !== "") form.append("to", to);
  if (file.length > 0 || name !== "") form.append("file", new File([file], name));
  if (extra !== undefined) form.append(extra, "x");
  return fetch(`${server.url}/api/v1/convert${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}`, ...headers },
    body: form,
  });
}

/** @param path - Below the server's address. */
export function call(server: TestServer, path: string, init: RequestInit & { readonly key?: string } = {}): Promise<Response> {
  const { key = server.key, headers, ...rest } = init;
  return fetch(server.url + path, { ...rest, headers: { authorization: `Bearer ${key}`, ...headers } });
}

export type Job = { readonly id: string; readonly status: string; readonly error: { readonly code: string } | null };

export async function jobOf(answer: Response): Promise<Job> {
  return JSON.parse(await answer.text()).job;
}

export async function jobIn(server: TestServer, id: string): Promise<Job> {
  return jobOf(await call(server, `/api/v1/jobs/${id}`));
}

/** A row of the contract's error table. */
export type Row = { readonly status: number; readonly code: string; readonly details?: object };

/** What no message may show. */
const inner = /\/(tmp|home|root|usr|proc|work|srv)\b|node_modules|\.[cm]?[jt]s\b|\bat \w+ \(|--\w/;

/** The row, in the shape that was asked for; one sentence or two, and nothing of what is inside. Resolves with the body. */
export async function expectRow(answer: Response, { status, code, details }: Row): Promise<Record<string, unknown>> {
  const text = await answer.text();
  const body = JSON.parse(text);
  const problem = answer.headers.get("content-type") === "application/problem+json";
  const facts = problem ? { ...body, message: body.detail } : body.error;
  expect({ status: answer.status, code: facts?.code }, text).toEqual({ status, code });
  expect(facts).toMatchObject({ message: expect.stringMatching(/\.$/), requestId: answer.headers.get("x-request-id") });
  expect(facts.message).not.toMatch(inner);
  if (details !== undefined) expect(facts.details).toMatchObject(details);
  if (problem) expect(body).toMatchObject({ type: expect.stringContaining(`#${code}`), status, title: expect.any(String) });
  else expect(answer.headers.get("content-type")).toBe("application/json");
  if (status === 429 || status === 503) expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  return body;
}

export async function removeAllJobs(server: TestServer): Promise<void> {
  for (;;) {
    const { jobs } = JSON.parse(await (await call(server, "/api/v1/jobs?limit=100")).text());
    if (jobs.length === 0) return;
    for (const { id } of jobs) await call(server, `/api/v1/jobs/${id}`, { method: "DELETE" });
  }
}
