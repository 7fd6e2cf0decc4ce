import { expect, test } from "vitest";
import { checkReadable, textPageOf } from "#gateway/mcp/text-page.ts";

async function pagesOf(bytes: Buffer, size: number): Promise<string[]> {
  const pages: string[] = [];
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const read = async (start: number, count: number) => bytes.subarray(start, start + count);
    const page: Awaited<ReturnType<typeof textPageOf>> = await textPageOf(bytes.length, offset, size, read);
    expect(page.nextOffset ?? Number.POSITIVE_INFINITY).toBeGreaterThan(offset);
    pages.push(page.text);
    offset = page.nextOffset;
  }
  return pages;
}

test.each([4, 5, 6, 7, 8, 100])("pages of %d bytes split no character and lose none", async (size) => {
  const text = "aé€😀 zß水𝄞b".repeat(7);
  const pages = await pagesOf(Buffer.from(text), size);
  expect(pages.join("")).toBe(text);
  expect(pages.join("")).not.toContain("\ufffd");
});

test("paging through invalid UTF-8 terminates", async () => {
  expect((await pagesOf(Buffer.alloc(50, 0x80), 4)).join("")).toHaveLength(50);
  expect((await pagesOf(Buffer.alloc(50, 0xff), 4)).join("")).toHaveLength(50);
});

test("an empty text is one empty page, and an offset past the end is rejected", async () => {
  const nothing = async () => Buffer.alloc(0);
  expect(await textPageOf(0, 0, 10, nothing)).toEqual({ text: "", totalBytes: 0, nextOffset: undefined });
  await expect(textPageOf(5, 5, 10, nothing)).rejects.toMatchObject({ code: "BAD_REQUEST" });
});

test("only text formats are readable", () => {
  for (const format of ["md", "txt", "html", "json", "csv", "svg", "xml", "yaml", "srt"])
    expect(() => checkReadable(format), format).not.toThrow();
  for (const format of ["pdf", "png", "docx", "zip", "mp3"]) expect(() => checkReadable(format), format).toThrow(/not text/);
});
