import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rememberFile } from "#kit/blobs/fresh-files.ts";
import type { Bounds } from "#services/conversion/inspectors/converse.ts";
import { createVerdicts } from "#services/conversion/inspectors/verdicts.ts";
import { describeSandboxes, until } from "#test/services/conversion/sandbox/host.ts";
import { openTestInspectors } from "./test-inspectors.ts";

const corpus = join(import.meta.dirname, "../../../corpus");
const png = join(corpus, "tiny/tiny.png");
const more = { fileName: "a.png" };
const aPng = { format: "png", toldBy: "content", nameDisagrees: false };

describeSandboxes("inspectors in the %s sandbox", (mode) => {
  test("detect formats, reject harmful files and check results, from disk and from memory", async () => {
    await using opened = await openTestInspectors({ mode });
    const { inspector, folder } = opened;
    const verdicts = createVerdicts(inspector);
    expect(await verdicts.tell(png, "a.png")).toMatchObject(aPng);
    await verdicts.inspect({ path: png, format: "png", sizeBytes: 1 });
    await verdicts.checkResult(png, "png");
    const document = join(corpus, "office/text.docx");
    expect(await verdicts.tell(document, "a.zip")).toMatchObject({ format: "docx" });
    await expect(verdicts.inspect({ path: png, format: "docx", sizeBytes: 1 })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(verdicts.checkResult(document, "odt")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
    const cached = join(folder, "cached");
    rememberFile(cached, Buffer.from("WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n"));
    expect(await verdicts.tell(cached, "a")).toMatchObject({ ...aPng, format: "vtt" });
    expect(opened.faults).toEqual([]);
    expect(opened.started).toHaveLength(1);
  });
});

/** Inspectors of which the first is fake: it handles each request with a Perl `script`, which gets it as `$_`. The others are real. */
function openWithFirst(script: string, bounds: Partial<Bounds> = {}) {
  const program = `$| = 1; while (<STDIN>) { if (/"ready"/) { print qq({"ready":true}\\n); next } ${script} }`;
  let isFirst = true;
  return openTestInspectors({
    bounds,
    start(sandbox, command) {
      const { limits } = command;
      const real = isFirst ? { program: "/usr/bin/perl", args: ["-e", program], ...(limits && { limits }) } : command;
      isFirst = false;
      return sandbox.spawn(real);
    },
  });
}

describe("an inspector that hangs", () => {
  test("is replaced after its CPU time while others answer, and the file is not called damaged", async () => {
    await using opened = await openWithFirst("1 while 1;", { cpuSeconds: 0.5, wallMs: 120_000 });
    await until(() => opened.started.length === 1);
    const stuck = opened.inspector.ask("sniff", [png], { more });
    const meanwhile = await opened.inspector.ask("sniff", [png], { more });
    expect(meanwhile).toMatchObject(aPng);
    expect(opened.started).toHaveLength(2);
    const error = await stuck.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "CONVERSION_TIMEOUT", message: "The file could not be examined in time." });
    expect(opened.faults).toEqual(["processor"]);
    await until(() => opened.started[0]?.alive === false);
    expect(await opened.inspector.ask("sniff", [png], { more })).toMatchObject(aPng);
  });

  test("is replaced if it does not respond, and another one is asked", async () => {
    await using opened = await openWithFirst("kill 'STOP', $$;", { wallMs: 3000 });
    expect(await opened.inspector.ask("sniff", [png], { more })).toMatchObject(aPng);
    expect(opened.faults).toEqual(["deadline"]);
  });

  test("may be slow on bytes that stress a pattern, without delaying other files", async () => {
    await using opened = await openTestInspectors();
    const hostile = join(opened.folder, "hostile");
    await writeFile(hostile, `P1 ${"# ".repeat(60)}x`);
    const [slow, quick] = await Promise.allSettled([
      opened.inspector.ask("sniff", [hostile], { more: { fileName: "a" } }),
      opened.inspector.ask("sniff", [png], { more }),
    ]);
    expect(quick).toMatchObject({ value: aPng });
    if (slow.status === "rejected") expect(slow.reason).toMatchObject({ code: "CONVERSION_TIMEOUT" });
  });
});

describe("an inspector that dies during a request", () => {
  test.each([
    ["killed from outside", "kill 'KILL', $$;"],
    ["by exiting", "exit 0;"],
    ["by a crash", "kill 'SEGV', $$;"],
  ])("%s is replaced, and another one is asked", async (_how, script) => {
    await using opened = await openWithFirst(script);
    expect(await opened.inspector.ask("sniff", [png], { more })).toMatchObject(aPng);
    expect(opened.faults).toEqual(["crash"]);
    expect(opened.started).toHaveLength(2);
  });

  test("twice makes the request fail with INTERNAL", async () => {
    const crash = { program: "/usr/bin/perl", args: ["-e", `$| = 1; while (<STDIN>) { exit 1 unless /ready/; print "1\\n" }`] };
    await using opened = await openTestInspectors({
      start: (sandbox, { limits }) => sandbox.spawn({ ...crash, ...(limits && { limits }) }),
    });
    await expect(opened.inspector.ask("sniff", [png], { more })).rejects.toMatchObject({ code: "INTERNAL" });
    expect(opened.faults).toEqual(["crash", "crash"]);
  });
});

describe("an inspector with an invalid answer", () => {
  const answer = { format: "png", toldBy: "content", nameDisagrees: false };
  test.each([
    ["with an unknown format", { answer: { ...answer, format: "x-evil" } }],
    ["with an extra field", { answer: { ...answer, admin: true } }],
    ["with a non-boolean flag", { answer: { ...answer, nameDisagrees: "no" } }],
    ["without content", {}],
    ["with both an answer and a refusal", { answer, refusal: { code: "INVALID_INPUT", message: "x" } }],
    ["with an error code of another service", { refusal: { code: "INVALID_API_KEY", message: "x" } }],
    ["with an overlong message", { refusal: { code: "INVALID_INPUT", message: "x".repeat(301) } }],
    ["that reads beyond the file", { read: [0, 0, 200_000] }],
    ["that reads another file", { read: [1, 0, 1] }],
    ["that reads before the file", { read: [0, -1, 1] }],
    ["that reads fractional bytes", { read: [0, 0.5, 1] }],
    ["that writes without being asked", { write: "eA==" }],
  ])("%s is not trusted, and another one is asked", async (_how, lie) => {
    await using opened = await openWithFirst(`print q(${JSON.stringify(lie)}), "\\n";`);
    expect(await opened.inspector.ask("sniff", [png], { more })).toMatchObject(answer);
    expect(opened.faults).toEqual(["wrong answer"]);
    await until(() => opened.started[0]?.alive === false);
  });

  test("that reads forever is not trusted", async () => {
    await using opened = await openWithFirst(`print q({"read":[0,0,1]}), "\\n";`);
    expect(await opened.inspector.ask("sniff", [png], { more })).toMatchObject(answer);
    expect(opened.faults).toEqual(["wrong answer"]);
  });
});

test("rejects a path that is not a file without waiting", async () => {
  await using opened = await openTestInspectors();
  await expect(opened.inspector.ask("sniff", [opened.folder], { more })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  await expect(opened.inspector.ask("sniff", [join(opened.folder, "none")], { more })).rejects.toMatchObject({ code: "ENOENT" });
});
