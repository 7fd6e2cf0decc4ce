/** The REST API as used by a client that knows nothing about the product, and the required form of every error. */
import { expect } from "vitest";
import type { TestServer } from "./server.ts";

/** The smallest PNG: one transparent pixel. */
export const pixel: Uint8Array<ArrayBuffer> = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** One request to `POST /api/v1/convert`; the defaults make a valid one. */
export type Upload = {
  /** If empty, the field is left out. */
  readonly to?: string;
  readonly file?: Uint8Array<ArrayBuffer>;
  /** If this and the file are empty, the field is left out. */
  readonly name?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of an additional field. */
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

/** @param path - Relative to the server's address. */
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

/** Internals that no message may reveal. */
const inner = /\/(tmp|home|root|usr|proc|work|srv)\b|node_modules|\.[cm]?[jt]s\b|\bat \w+ \(|--\w/;

/** Expects the row in the requested shape, with one or two sentences and no internals. Resolves with the body. */
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
