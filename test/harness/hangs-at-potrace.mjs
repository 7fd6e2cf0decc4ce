// Loaded before the service (NODE_OPTIONS=--import): its main thread stands still for ever while potrace runs, as it would in code of ours
// that has no end on somebody's file.
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

/** Until then the job is on record, and its client has an answer. */
const delayMs = 500;

const { spawn } = childProcess;
childProcess.spawn = (file, args, ...rest) => {
  if (args?.includes("/usr/bin/potrace") && !args.includes("--version")) setTimeout(() => standStill(), delayMs);
  return spawn(file, args, ...rest);
};
syncBuiltinESMExports();

function standStill() {
  for (;;);
}
