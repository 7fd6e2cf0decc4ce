/**
 * Loaded into a process (`node --import`): a file sets its wall clock, as an operator or NTP would, while its monotonic clock
 * continues. Only Filemill's own code sees that clock; the kernel's, and thus file times, and the broker's are unaffected.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const file = join(process.env.FAULTS_DIR ?? "", "clock");
const lookMs = 50;
const RealDate = Date;
let offsetMs = 0;

function look(): void {
  try {
    offsetMs = Number(readFileSync(file, "utf8"));
  } catch {
    offsetMs = 0;
  }
}

class SteppedDate extends RealDate {
  constructor(...args: ConstructorParameters<typeof RealDate> | []) {
    if (args.length === 0) super(RealDate.now() + offsetMs);
    else super(...args);
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }
}

look();
setInterval(look, lookMs).unref();
Object.assign(globalThis, { Date: SteppedDate });
