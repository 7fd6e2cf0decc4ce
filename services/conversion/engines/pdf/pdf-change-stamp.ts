/** A page with only a stamp, to be overlaid on others. */
import { writeFile } from "node:fs/promises";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { failureOf } from "../shared/bad-input.ts";
import { stringOption } from "../shared/hop-table.ts";
import type { ToolSession } from "../shared/tool-run.ts";

/** A4; centred on pages of another shape. */
const [width, height] = [595, 842];
/** Mean character width in ems. */
const letterWidth = 0.62;

/** Rendered by librsvg, which embeds fonts for any script. Returns the path inside the sandbox. */
export async function stampOf(session: ToolSession, task: HopTask): Promise<string> {
  const text = stringOption(task.options, "stamp") ?? "";
  const place = stringOption(task.options, "stampPlace") ?? "diagonal";
  await writeFile(session.pathOf("stamp.svg"), drawingOf(text, place), { flag: "wx", mode: 0o644 });
  const end = await session.run({
    program: "/usr/bin/rsvg-convert",
    args: ["-f", "pdf", "-d", "72", "-p", "72", "-o", "/job/stamp.pdf", "/job/stamp.svg"],
    env: { SOURCE_DATE_EPOCH: "0" },
  });
  if (end.exitCode !== 0) throw failureOf(end, [], "The stamp could not be drawn.");
  return "/job/stamp.pdf";
}

function drawingOf(text: string, place: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const room = place === "diagonal" ? Math.hypot(width, height) * 0.75 : width * 0.9;
  const largest = place === "diagonal" ? 110 : 14;
  const size = Math.min(largest, room / (Math.max(1, [...text].length) * letterWidth)).toFixed(2);
  const [x, y] = [width / 2, place === "top" ? 24 : place === "bottom" ? height - 16 : height / 2];
  const turn = place === "diagonal" ? ` transform="rotate(${-(Math.atan2(height, width) * 180) / Math.PI} ${x} ${y})"` : "";
  const look = place === "diagonal" ? `fill="#808080" fill-opacity="0.35" dominant-baseline="middle"` : `fill="#000000"`;
  const font = `font-family="DejaVu Sans, Noto Sans, sans-serif" font-size="${size}" text-anchor="middle"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><text x="${x}" y="${y}" ${font} ${look}${turn}>${escaped}</text></svg>`;
}
