// Loaded before the service (NODE_OPTIONS=--import): once the file HANG_WHEN exists, its main
// thread hangs forever when potrace runs, like an endless loop in our own code on some input.
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
