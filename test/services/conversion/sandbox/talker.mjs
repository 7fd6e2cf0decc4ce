// Answers each line once the file that it names exists.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

for await (const line of createInterface(process.stdin)) {
  while (!existsSync(JSON.parse(line).awaited)) await new Promise((resolve) => setTimeout(resolve, 20));
  process.stdout.write("{}\n");
}
