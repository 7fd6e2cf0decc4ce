import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { utils, write } from "@e965/xlsx";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { openOfficePool, pythonPath, workerFiles } from "#services/conversion/engines/office/libreoffice-pool.ts";
import { openBench } from "#test/contract/engine.ts";

const worker = "/usr/bin/python3 -S -u /engine/worker.py";
const limits = { wallMs: 150_000, cpuSeconds: 100, addressSpace: false, processes: 128, openFiles: 512, memoryBytes: 1536 * 2 ** 20 };

it("leaves no LibreOffice process behind when its input is closed", async () => {
  await using bench = await openBench(libreofficeEngine, 0);
  const question = `echo '{"ready":true}' | ${worker} && for look in $(seq 100); do grep -q soffice /proc/[0-9]*/comm || exit 0; sleep 0.1; done; exit 7`;
  const end = await bench.sandbox.run({
    ...{ program: "/bin/sh", args: ["-c", question], env: pythonPath },
    readOnly: workerFiles,
    limits,
  });
  expect([end.stdout.trim(), end.exitCode]).toEqual(['{"ready": true}', 0]);
});

it("rounds dates that the Numbers import shifts by some minutes to whole days, and reports times of day", async () => {
  await using bench = await openBench(libreofficeEngine, 0);
  const times = ["2009-10-15T00:06:40", "2009-10-21T23:53:20", "2009-10-23T14:30:00", "2009-10-24T00:10:00"];
  const cells = times
    .map((time) => `<table:table-cell table:style-name="day" office:value-type="date" office:date-value="${time}"/>`)
    .join("");
  const spaces = ["office", "table", "style"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const style = `<number:date-style style:name="N1"><number:year/></number:date-style><style:style style:name="day" style:family="table-cell" style:data-style-name="N1"/>`;
  const type = 'office:mimetype="application/vnd.oasis.opendocument.spreadsheet" office:version="1.3"';
  const row = `<table:table-row>${cells}<table:table-cell office:value-type="float" office:value="2.004"/></table:table-row>`;
  const book = `<office:document ${spaces} ${type} xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"><office:automatic-styles>${style}</office:automatic-styles><office:body><office:spreadsheet><table:table table:name="A">${row}</table:table></office:spreadsheet></office:body></office:document>`;
  const path = join(bench.folder, "days.fods");
  await writeFile(path, book);
  await using pool = openOfficePool({ ...bench.host, slots: 1 });
  const job = {
    importFilters: ["OpenDocument Spreadsheet Flat XML"],
    exportFilter: "",
    wholeDays: true,
    separator: ",",
    quotesText: false,
  };
  const bounds = { timeoutMs: 150_000, cpuSeconds: 100, outputBytes: 1000, signal: new AbortController().signal };
  const rows = await pool.convert(path, job, bounds, (answer, outputPath) => {
    expect(answer).toMatchObject({ inexact: ["A.C1", "A.D1"] });
    return readFile(outputPath, "utf8");
  });
  expect(rows).toBe("2009-10-15,2009-10-22,2009-10-23T14:30:00,2009-10-24T00:10:00,2.004\n");
});

it("reads a workbook whose parts have other names than Excel's, but no document of another kind", async () => {
  await using bench = await openBench(libreofficeEngine, 1);
  const parts = unzipSync(write(utils.book_new(utils.aoa_to_sheet([["far"]]), "S"), { type: "buffer", bookType: "xlsx" }) as Uint8Array);
  const moved = (change: (text: string) => string) =>
    zipSync(Object.fromEntries(Object.entries(parts).map(([name, part]) => [change(name), strToU8(change(strFromU8(part)))])));
  const path = join(bench.folder, "moved.xlsx");
  await writeFile(
    path,
    moved((text) => text.replace(/(^|["/])xl\//g, "$1book/")),
  );
  expect(await readFile((await bench.convert(path, "xlsx", "csv")).path, "utf8")).toBe("far\n");
  await writeFile(
    path,
    moved((text) => text.replace(/(^|["/])xl\//g, "$1book/").replaceAll("spreadsheetml.sheet.main", "other")),
  );
  await expect(bench.convert(path, "xlsx", "csv")).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
