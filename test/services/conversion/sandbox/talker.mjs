// Answers each line after as many milliseconds as it asks for.
import { createInterface } from "node:readline";

for await (const line of createInterface(process.stdin)) {
  await new Promise((resolve) => setTimeout(resolve, JSON.parse(line).sleepMs));
  process.stdout.write("{}\n");
}
