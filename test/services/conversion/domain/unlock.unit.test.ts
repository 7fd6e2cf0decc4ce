import { describe, expect, it } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { openInput } from "#services/conversion/domain/unlock.ts";

const locked = new FilemillError("PASSWORD_REQUIRED", "Locked.");
const signal = AbortSignal.timeout(60_000);

function harness(verdicts: Readonly<Record<string, Error>>) {
  const looked: string[] = [];
  const opened: string[] = [];
  const ports = {
    async inspect({ path }: { readonly path: string }) {
      looked.push(path);
      const verdict = verdicts[path];
      if (verdict !== undefined) throw verdict;
    },
    async unlock({ password }: { readonly password: string }) {
      opened.push(password);
    },
    intermediatePath: () => "opened",
    sizeOf: async () => 7,
  };
  const open = (format: string, password?: string) =>
    openInput({ input: { path: "in", format, sizeBytes: 9 }, password, timeoutMs: 1000, signal }, ports);
  return { looked, opened, open };
}

describe("an input with a password", () => {
  it("is unlocked if it is protected, and the unlocked file is inspected too", async () => {
    const { open, looked, opened } = harness({ in: locked });
    expect(await open("docx", "secret")).toEqual({ path: "opened", format: "docx", sizeBytes: 7 });
    expect([looked, opened]).toEqual([["in", "opened"], ["secret"]]);
  });

  it("is used as it is if it is not protected, except a PDF, whose protection inspection cannot see", async () => {
    const { open, opened } = harness({});
    expect((await open("docx", "secret")).path).toBe("in");
    expect(opened).toEqual([]);
    expect((await open("pdf", "secret")).path).toBe("opened");
  });

  it("is rejected for any other reason as without a password", async () => {
    const bomb = new FilemillError("INPUT_TOO_COMPLEX", "A bomb.");
    await expect(harness({ in: bomb }).open("docx", "secret")).rejects.toBe(bomb);
    await expect(harness({ in: locked, opened: bomb }).open("docx", "secret")).rejects.toBe(bomb);
  });
});

describe("an input without a password", () => {
  it("is rejected if it is protected, and never unlocked", async () => {
    const { open, opened } = harness({ in: locked });
    await expect(open("docx")).rejects.toBe(locked);
    expect(opened).toEqual([]);
  });
});
