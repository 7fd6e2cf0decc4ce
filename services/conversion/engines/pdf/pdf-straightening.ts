/** Straightens crooked scans before Tesseract reads them: its layout analysis breaks up slanted lines. */
import { existsSync } from "node:fs";
import { magick, withPolicy } from "../pictures/imagemagick-program.ts";
import type { ToolSession } from "../shared/tool-run.ts";

const onOneThread = { program: magick.path, ...withPolicy, env: { ...withPolicy.env, MAGICK_THREAD_LIMIT: "1" } };

/** In degrees: lines with a smaller slant are read correctly. */
const leastAngle = 1;
/** A larger angle comes from slanted lines in a drawing, not from paper fed in at an angle. */
const mostAngle = 15;

/** The name in `/job` of the straightened page; if the angle cannot be determined, the page is read as it is. */
export async function straightened(session: ToolSession, name: string): Promise<string> {
  if (!existsSync(magick.path)) return name;
  // A quarter of the resolution is enough, in a sixth of the time.
  const look = [`pgm:/job/${name}`, "-resize", "25%", "-deskew", "40%", "-format", "%[deskew:angle]\n", "info:-"];
  const { stdout } = await session.run({ ...onOneThread, args: look });
  const angle = Number(/^-?\d{1,3}(?:\.\d{1,12})?$/m.exec(stdout)?.[0] ?? 0);
  if (Math.abs(angle) < leastAngle || Math.abs(angle) > mostAngle) return name;
  const upright = `upright-${name}`;
  const turn = [`pgm:/job/${name}`, "-background", "white", "-rotate", String(angle), "+repage", `pgm:/job/${upright}`];
  const end = await session.run({ ...onOneThread, args: turn });
  return end.exitCode === 0 ? upright : name;
}
