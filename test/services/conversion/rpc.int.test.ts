import { randomBytes } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { fromConnectError } from "#contract/errors.ts";
import type { ConvertRequestSchema } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { opened } from "#test/harness/opened.ts";
import { accountId, openMill } from "./mill.ts";
import { endlessSvg } from "./slow-work.ts";

const mill = opened(openMill);

const picture = () =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: "teal" } })
    .png()
    .toBuffer();

/** Resolves with the code of the error that `work` must fail with. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no error",
    (error: unknown) => fromConnectError(error).code,
  );
}

async function* pieces(bytes: Uint8Array, size = 262_144): AsyncIterable<{ chunk: Uint8Array }> {
  for (let at = 0; at < bytes.length; at += size) yield { chunk: bytes.subarray(at, at + size) };
}

type Part = MessageInitShape<typeof ConvertRequestSchema>;
type Start = { readonly from?: string; readonly to: string; readonly fileName?: string; readonly options?: Record<string, string> };

async function* conversionOf(start: Start, bytes: Uint8Array): AsyncIterable<Part> {
  yield { part: { case: "start", value: { accountId, ...start } } };
  for (let at = 0; at < bytes.length; at += 100) yield { part: { case: "chunk", value: bytes.subarray(at, at + 100) } };
}

async function convert(parts: AsyncIterable<Part>) {
  const states: JobState[] = [];
  const chunks: Uint8Array[] = [];
  let jobId = "";
  for await (const { part } of mill.conversion.convert(parts)) {
    if (part.case === "job") {
      states.push(part.value.state);
      jobId = part.value.id;
    } else if (part.case === "chunk") chunks.push(part.value);
  }
  return { states, jobId, bytes: Buffer.concat(chunks) };
}

async function download(jobId: string, range: { offsetBytes?: bigint; lengthBytes?: bigint } = {}, account = accountId): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const { chunk } of mill.conversion.download({ accountId: account, jobId, ...range })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function expectOnlyBlobs(...ids: (string | undefined)[]): Promise<void> {
  await expect.poll(async () => (await mill.leftovers()).blobs.toSorted()).toEqual(ids.toSorted());
}

describe("Upload", () => {
  it("stores the bytes as sent", async () => {
    const bytes = randomBytes(700_000);
    const { blob } = await mill.conversion.upload(pieces(bytes));
    expect(blob).toMatchObject({ sizeBytes: 700_000n });
    expect(Buffer.concat(await Array.fromAsync(await mill.blobs.read(blob?.id ?? ""))).equals(bytes)).toBe(true);
    await mill.blobs.remove(blob?.id ?? "");
  });

  it("rejects more than the largest conversion accepts and stores nothing", async () => {
    const { routes } = await mill.catalogue.getCatalogue({});
    const limitMb = Math.max(...routes.map((route) => route.maxInputMb));
    const megabyte = new Uint8Array(1_000_000);
    async function* tooMuch() {
      for (let sent = 0; sent <= limitMb; sent++) yield { chunk: megabyte };
    }
    expect(await codeOf(mill.conversion.upload(tooMuch()))).toBe("INPUT_TOO_LARGE");
    await expectOnlyBlobs();
  });
});

describe("Convert", () => {
  it("answers with every change of the job, then with its bytes", async () => {
    const { states, jobId, bytes } = await convert(
      conversionOf({ to: "webp", fileName: "a.png", options: { width: "20" } }, await picture()),
    );
    expect(states.at(-1)).toBe(JobState.DONE);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: "webp", width: 20 });
    expect((await download(jobId)).equals(bytes)).toBe(true);
    await mill.jobs.deleteJob({ accountId, jobId });
    await expectOnlyBlobs();
  });

  it("answers with the failed job and no bytes for a bad file", async () => {
    const { states, jobId, bytes } = await convert(conversionOf({ from: "png", to: "webp" }, Buffer.from("no picture")));
    expect(states.at(-1)).toBe(JobState.FAILED);
    expect(bytes).toHaveLength(0);
    expect(await codeOf(download(jobId))).toBe("JOB_FAILED");
    await mill.jobs.deleteJob({ accountId, jobId });
    await expectOnlyBlobs();
  });

  it.each([
    ["UNSUPPORTED_TARGET", { to: "nonsense" }],
    ["UNSUPPORTED_CONVERSION", { from: "png", to: "mp3" }],
    ["INVALID_OPTION", { to: "webp", options: { quality: "1000" } }],
  ])("rejects with %s and stores nothing", async (code, start) => {
    const known = code === "UNSUPPORTED_CONVERSION" ? ["UNSUPPORTED_CONVERSION", "UNSUPPORTED_TARGET"] : [code];
    expect(known).toContain(await codeOf(convert(conversionOf(start, await picture()))));
    await expectOnlyBlobs();
  });

  it("rejects unknown formats, empty files and parts in the wrong order", async () => {
    const nothing = Buffer.from([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await codeOf(convert(conversionOf({ to: "webp", fileName: "x" }, nothing)))).toBe("UNKNOWN_SOURCE_FORMAT");
    expect(await codeOf(convert(conversionOf({ to: "webp" }, Buffer.alloc(0))))).toBe("INVALID_INPUT");
    async function* unannounced(): AsyncIterable<Part> {
      yield { part: { case: "chunk", value: new Uint8Array(1) } };
    }
    expect(await codeOf(convert(unannounced()))).toBe("BAD_REQUEST");
    async function* twice(): AsyncIterable<Part> {
      yield { part: { case: "start", value: { accountId, to: "webp" } } };
      yield { part: { case: "start", value: { accountId, to: "webp" } } };
    }
    expect(await codeOf(convert(twice()))).toBe("BAD_REQUEST");
    await expectOnlyBlobs();
  });
});

describe("an aborted stream", () => {
  const leaves = async (work: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    const leaving = new AbortController();
    const ended = work(leaving.signal).then(
      () => "answered",
      () => "failed",
    );
    await expect.poll(async () => (await mill.leftovers()).blobs.length).toBe(1);
    leaving.abort();
    expect(await ended).toBe("failed");
    await expectOnlyBlobs();
  };
  const never = new Promise<void>(() => undefined);

  it("leaves nothing of an upload", async () => {
    async function* halfOf() {
      yield { chunk: randomBytes(2_000_000) };
      await never;
    }
    await leaves((signal) => mill.conversion.upload(halfOf(), { signal }));
  });

  it("leaves neither bytes nor a job of a conversion", async () => {
    async function* halfOf(): AsyncIterable<Part> {
      yield { part: { case: "start", value: { accountId, to: "webp" } } };
      yield { part: { case: "chunk", value: randomBytes(2_000_000) } };
      await never;
    }
    const before = (await mill.jobs.getLoad({ accountId })).accountUnfinished;
    await leaves((signal) => Array.fromAsync(mill.conversion.convert(halfOf(), { signal })));
    expect((await mill.jobs.getLoad({ accountId })).accountUnfinished).toBe(before);
  });
});

describe("Download", () => {
  it("serves ranges, and only to the owner", async () => {
    const { jobId, bytes } = await convert(conversionOf({ to: "webp" }, await picture()));
    expect((await download(jobId, { offsetBytes: 10n })).equals(bytes.subarray(10))).toBe(true);
    expect((await download(jobId, { offsetBytes: 5n, lengthBytes: 7n })).equals(bytes.subarray(5, 12))).toBe(true);
    expect(await download(jobId, { offsetBytes: BigInt(bytes.length) })).toHaveLength(0);
    expect(await codeOf(download(jobId, { offsetBytes: BigInt(bytes.length + 1) }))).toBe("BAD_REQUEST");
    expect(await codeOf(download(jobId, {}, "account2"))).toBe("JOB_NOT_FOUND");
    await mill.jobs.deleteJob({ accountId, jobId });
    expect(await codeOf(download(jobId))).toBe("JOB_NOT_FOUND");
  });

  it("is rejected for an unfinished or cancelled job", async () => {
    const job = await mill.submit(endlessSvg(), { from: "svg", to: "png" });
    expect(await codeOf(download(job.id))).toBe("JOB_NOT_DONE");
    await mill.jobs.cancelJob({ accountId, jobId: job.id });
    expect(await codeOf(download(job.id))).toBe("JOB_CANCELLED");
    await mill.jobs.deleteJob({ accountId, jobId: job.id });
    await expectOnlyBlobs();
  });
});

describe("Inspect", () => {
  it("detects a stored file's format by content before name", async () => {
    const { blob } = await mill.conversion.upload(pieces(await picture()));
    if (blob === undefined) throw new Error("no blob");
    expect(await mill.conversion.inspect({ blob, fileName: "a.jpg" })).toMatchObject({
      format: "png",
      toldBy: "content",
      nameDisagrees: true,
    });
    await mill.blobs.remove(blob.id);
    expect(await codeOf(mill.conversion.inspect({ blob, fileName: "a.png" }))).toBe("NOT_FOUND");
    expect(await codeOf(mill.conversion.inspect({ blob: { ...blob, id: "../../etc/passwd" }, fileName: "a" }))).toBe("NOT_FOUND");
  });
});
