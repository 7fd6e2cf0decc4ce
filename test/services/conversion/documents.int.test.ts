import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { Reason } from "#gen/filemill/common/v1/error_pb.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { compoundFile } from "#test/harness/compound-file.ts";
import { opened } from "#test/harness/opened.ts";
import { docxFile, zipFile } from "#test/harness/zip-file.ts";
import { accountId, openMill } from "./mill.ts";

const mill = opened(() => openMill({ IMAGE_SLOTS: 1, DOCUMENT_SLOTS: 1, OFFICE_SLOTS: 1 }));

const letter = docxFile("<w:p><w:r><w:t>Dear reader</w:t></w:r></w:p>");

async function bytesOf(blobId = ""): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(await mill.blobs.read(blobId)));
}

describe("documents", () => {
  it("pass through several engines without leaving intermediate files", async () => {
    const { plan } = await mill.catalogue.planRoute({ from: "docx", to: "webp" });
    expect(plan?.hops.length).toBeGreaterThan(1);
    const done = await mill.watch(await mill.submit(letter, { from: "docx", to: "webp" }));
    expect(done).toMatchObject({ state: JobState.DONE, attempts: 1 });
    expect((await sharp(await bytesOf(done.result?.id)).metadata()).format).toBe("webp");
    await expect.poll(async () => (await mill.leftovers()).scratch).toEqual([]);
    await mill.jobs.deleteJob({ accountId, jobId: done.id });
  });

  it("that are locked, bombs or broken never reach an engine", async () => {
    const hopsBefore = await hopCount();
    const cases: [Uint8Array, string, Reason][] = [
      [compoundFile({ EncryptionInfo: new Uint8Array(200), EncryptedPackage: new Uint8Array(9000) }), "docx", Reason.PASSWORD_REQUIRED],
      [zipFile([{ name: "mimetype", content: "x", isEncrypted: true }]), "odt", Reason.PASSWORD_REQUIRED],
      [docxFile("", { extra: [{ name: "word/a.xml", content: "", statedBytes: 4_000_000_000 }] }), "docx", Reason.INPUT_TOO_COMPLEX],
      [docxFile("&b;", { before: '<!DOCTYPE d [<!ENTITY a "x"><!ENTITY b "&a;">]>' }), "docx", Reason.INPUT_TOO_COMPLEX],
      [letter.subarray(0, letter.length - 40), "docx", Reason.INVALID_INPUT],
      [Buffer.from("plain text"), "docx", Reason.INVALID_INPUT],
    ];
    for (const [content, from, reason] of cases) {
      const failed = await mill.watch(await mill.submit(content, { from, to: "pdf" }));
      expect(failed).toMatchObject({ state: JobState.FAILED, attempts: 1, error: { reason } });
      await mill.jobs.deleteJob({ accountId, jobId: failed.id });
    }
    expect(await hopCount()).toBe(hopsBefore);
    const after = await mill.watch(await mill.submit(letter, { from: "docx", to: "pdf" }));
    expect((await bytesOf(after.result?.id)).subarray(0, 5).toString()).toBe("%PDF-");
    await mill.jobs.deleteJob({ accountId, jobId: after.id });
    await expect.poll(() => mill.leftovers()).toEqual({ blobs: [], scratch: [] });
  });
});

async function hopCount(): Promise<number> {
  const text = await mill.metrics.metrics();
  return [...text.matchAll(/filemill_hop_seconds_count\{[^}]*\} (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}
