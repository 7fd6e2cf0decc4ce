import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { useBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const bench = useBench(pandocEngine);

const info =
  '<description><title-info><genre>sf_history</genre><book-title>Title</book-title><keywords>desert</keywords><lang>de</lang><translator><first-name>Tara</first-name><last-name>Wombat</last-name></translator></title-info><publish-info><publisher>Emu &amp; Sons</publisher></publish-info><custom-info info-type="x">Bilby</custom-info></description>';
const table =
  '<table><tr><th>Name</th><th align="right">Count</th></tr><tr><td>Emu <strong>bold</strong></td><td>12<a l:href="#n1" type="note">[1]</a></td></tr><tr><td colspan="2"/></tr></table>';
const book = `<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">${info}<body><section><p>Text. <![CDATA[<table>]]></p>${table}<cite><p>Said</p><table><tr><td>within</td></tr></table></cite></section></body><body name="notes"><section id="n1"><p>Below.</p></section></body></FictionBook>`;
it("reads tables and the description of a FictionBook", async () => {
  const path = await bench.put("tables.fb2", book);
  const text = await readFile((await bench.convert(path, "fb2", "md")).path, "utf8");
  expect(text).toMatch(/\| Name +\| Count +\|\n.*\n\| Emu \*\*bold\*\* +\| 12\[\^1\] \|\n\| +\| +\|\n/);
  expect(text).toMatch(/> \| within \|/);
  expect(text).toMatch(/keywords:\n- desert\n- sf_history\nlanguage: de\npublisher: Emu & Sons\n/);
  expect(text).toContain("translator: Tara Wombat\n");
  const made = await bench.convert(path, "fb2", "docx");
  const { stdout } = await run("unzip", ["-p", made.path, "docProps/core.xml"]);
  expect(stdout).toContain("<cp:keywords>desert, sf_history</cp:keywords>");
});
