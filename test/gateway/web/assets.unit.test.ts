import * as files from "node:fs/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, it, vi } from "vitest";
import type { RestContext } from "#gateway/exchange/exchange.ts";
import { assetHandlers } from "#gateway/web/assets.ts";

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof files>();
  return { ...real, readFile: vi.fn(real.readFile) };
});

it("an icon that could not be read is read again on the next request", async () => {
  vi.mocked(files.readFile).mockRejectedValueOnce(new Error("EMFILE"));
  const reply = { getHeader: () => undefined, header: () => reply, headers: () => reply, code: () => reply, send: vi.fn(() => reply) };
  const ask = () => assetHandlers.favicon({} as RestContext, { headers: {} } as FastifyRequest, reply as unknown as FastifyReply);
  await expect(ask()).rejects.toThrow("EMFILE");
  await ask();
  expect(reply.send).toHaveBeenCalledWith(expect.any(Buffer));
});
