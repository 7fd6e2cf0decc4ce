// Loaded before the service (NODE_OPTIONS=--import). Once potrace runs and the file named by HANG_WHEN exists, the service's
// main thread hangs forever, as if our own code looped endlessly on some input.
import childProcess from "node:child_process";
import { existsSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { spawn } = childProcess;
childProcess.spawn = (file, args, ...rest) => {
  if (args?.includes("/usr/bin/potrace") && !args.includes("--version"))
    setInterval(() => existsSync(process.env.HANG_WHEN) && standStill(), 20);
  return spawn(file, args, ...rest);
};
syncBuiltinESMExports();

function standStill() {
  for (;;);
}
