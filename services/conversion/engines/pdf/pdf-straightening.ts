/** Scanned pages that lie crooked are turned upright before Tesseract reads them: what puts its lines together takes crooked ones apart. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { magick } from "../pictures/imagemagick-program.ts";
import type { ToolSession } from "../shared/tool-run.ts";

const policyInside = "/engine/imagemagick";
const withPolicy = {
  program: magick.path,
  env: { MAGICK_CONFIGURE_PATH: policyInside, MAGICK_THREAD_LIMIT: "1" },
  readOnly: { [join(import.meta.dirname, "../pictures/imagemagick-policy")]: policyInside },
};

/** In degrees: lines that lie less crooked are read whole. */
const leastAngle = 1;
/** Beyond it are the slanted lines of a drawing, not paper that was pulled in crookedly. */
const mostAngle = 15;

/** The name in `/job` of the page, turned upright where it lies crooked; where that cannot be found out, it is read as it lies. */
export async function straightened(session: ToolSession, name: string): Promise<string> {
  if (!existsSync(magick.path)) return name;
  // A quarter of the resolution shows it as well, in a sixth of the time.
  const look = [`pgm:/job/${name}`, "-resize", "25%", "-deskew", "40%", "-format", "%[deskew:angle]\n", "info:-"];
  const { stdout } = await session.run({ ...withPolicy, args: look });
  const angle = Number(/^-?\d{1,3}(?:\.\d{1,12})?$/m.exec(stdout)?.[0] ?? 0);
  if (Math.abs(angle) < leastAngle || Math.abs(angle) > mostAngle) return name;
  const upright = `upright-${name}`;
  const turn = [`pgm:/job/${name}`, "-background", "white", "-rotate", String(angle), "+repage", `pgm:/job/${upright}`];
  const end = await session.run({ ...withPolicy, args: turn });
  return end.exitCode === 0 ? upright : name;
}
