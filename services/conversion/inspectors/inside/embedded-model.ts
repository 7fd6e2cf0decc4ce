/** Embeds the numbers of a glTF, which are in a separate file. */
import { randomUUID } from "node:crypto";
import { FilemillError } from "#contract/errors.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { writeToHost } from "./exchange.ts";
import { contentOf } from "./remote-file.ts";

/** A multiple of three, so that each piece is complete base64. */
const pieceBytes = 192 * 1024;

export async function embedModel(model: ByteSource, numbers: ByteSource): Promise<void> {
  const scene: { buffers?: { uri?: string }[] } = JSON.parse((await contentOf(model)).toString("utf8"));
  const [buffer] = scene.buffers ?? [];
  if (buffer === undefined) throw new FilemillError("CONVERSION_FAILED", "The model contains no meshes.");
  const place = randomUUID();
  buffer.uri = place;
  const [before = "", after = ""] = JSON.stringify(scene).split(place);
  writeToHost(Buffer.from(`${before}data:application/octet-stream;base64,`));
  for (let at = 0; at < numbers.sizeBytes; at += pieceBytes)
    writeToHost(Buffer.from((await numbers.read(at, pieceBytes)).toString("base64")));
  writeToHost(Buffer.from(after));
}
