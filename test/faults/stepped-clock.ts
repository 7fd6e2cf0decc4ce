/**
 * Loaded into a process (`node --import`): its wall clock is set by a file, as an operator or NTP sets it, while its monotonic clock goes on.
 * It is the clock as Filemill's own code reads it; the kernel's, and so the times of files, and the broker's stay.
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
