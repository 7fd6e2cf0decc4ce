import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

function sourcesBelow(folder: string): string {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return names.map((name) => readFileSync(join(root, folder, name), "utf8")).join("\n");
}

test("the dashboard and the operator's guide refer only to existing metrics", () => {
  const sources = sourcesBelow("services") + sourcesBelow("gateway");
  const known = new Set([...sources.matchAll(/name: "(filemill_\w+)"/g)].map(([, name]) => name));
  for (const file of [".deploy/grafana-dashboard.json", "services/OPERATING.md"]) {
    const named = [...readFileSync(join(root, file), "utf8").matchAll(/\bfilemill_\w+/g)].map(([name]) => name.replace(/_bucket$/, ""));
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  }
});
