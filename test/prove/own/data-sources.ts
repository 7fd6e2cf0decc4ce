/** Records in data formats, archives of them, and a drawing as an editor saves it. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dump } from "js-yaml";
import { bytesFrom, python } from "#test/prove/readers/program.ts";
import type { KnownFile } from "#test/prove/samples.ts";
import type { Studio } from "./studio.ts";

const places = ["Ísafjörður", "Kraków", "São Paulo", "Łódź", "Perth", "Málaga", "Zürich"];

const records = Array.from({ length: 2000 }, (_, index) => ({
  id: index + 1,
  name: `Person ${(index * 7919) % 1000}`,
  place: places[(index * 31) % places.length] ?? "",
  amount: ((index * 104_729) % 1_000_003) / 100,
  member: index % 3 === 0,
}));

/** Formatted generously for human readers. */
export function recordsOf(format: string): string {
  const lines = records.map((record) => Object.entries(record));
  if (format === "json") return JSON.stringify(records, null, 4);
  if (format === "yaml") return dump(records, { indent: 8, forceQuotes: true });
  if (format === "csv") return lines.map((cells) => `${cells.map(([, value]) => `"${value}"`).join(",")}\r\n`).join("");
  const elements = lines.map((cells) => cells.map(([name, value]) => `        <${name}>${value}</${name}>\n`).join(""));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<records>\n${elements.map((each) => `    <record>\n${each}    </record>\n`).join("")}</records>\n`;
}

/** Weakly compressed: a ZIP uncompressed, the others at their lowest level. */
export async function archiveOf({ path, format }: KnownFile, { folder }: Studio): Promise<void> {
  const inside = join(folder, "files");
  await mkdir(inside, { recursive: true });
  for (const each of ["json", "yaml", "csv", "xml"]) await writeFile(join(inside, `records.${each}`), recordsOf(each));
  const tar = "import sys, tarfile\nt = tarfile.open(sys.argv[1], 'w:gz', compresslevel=1)\nt.add(sys.argv[2], 'files')\nt.close()";
  if (format === "tgz") await python(tar, path, inside);
  else await bytesFrom("7z", "a", `-t${format}`, format === "zip" ? "-mx=0" : "-mx=1", path, inside);
}

/** With more decimals than are visible, and the editor's own data. */
export function drawing(): string {
  const paths = Array.from({ length: 300 }, (_, index) => {
    const [x, y] = [30 + ((index * 37) % 340) + index / 7, 30 + ((index * 53) % 340) + index / 11];
    const at = (turn: number, far: number) =>
      `${(x + far * Math.cos(turn + index)).toFixed(6)},${(y + far * Math.sin(turn + index)).toFixed(6)}`;
    const outline = `M ${at(0, 20)} C ${at(0.7, 31)} ${at(1.4, 29)} ${at(2.1, 20)} C ${at(2.8, 33)} ${at(3.5, 27)} ${at(4.2, 20)} Z`;
    return `    <path\n       id="path${index}"\n       inkscape:label="shape ${index}"\n       style="fill:hsl(${(index * 47) % 360},60%,60%);fill-opacity:0.5;stroke:#333333;stroke-width:0.500000"\n       d="${outline}" />\n`;
  });
  const spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"';
  return `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- drawn by hand -->\n<svg ${spaces} width="400" height="400" viewBox="0 0 400 400">\n  <g id="layer1" inkscape:groupmode="layer">\n${paths.join("")}  </g>\n</svg>\n`;
}
