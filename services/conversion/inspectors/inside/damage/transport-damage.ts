/** MPEG transport streams: packets that are lost or cut off. FFmpeg says the same of two streams that were joined, which lack nothing. */
import { type ByteSource, bytesAt } from "#services/conversion/domain/guards/byte-source.ts";
import type { Damage } from "./chain.ts";

const packetBytes = 188;
/** With the time stamps of Blu-ray, or the sums of broadcasts. */
const strides = [188, 192, 204];
const sync = 0x47;
/** Packets in a row that show where the stream goes on. */
const sure = 5;
const packetsAtOnce = 1024;

/** What was read of one stream; its packets are numbered from 0 to 15, over and over. */
type Track = {
  counter: number;
  /** Bytes missing of its packet of the next layer, which need not state its length. */
  left: number;
  /** It began in the middle of such a packet, as recordings of broadcasts do, which end so, too. */
  readonly isRagged: boolean;
  isMedia: boolean;
  seenAt: number;
};

/** @see ISO 13818-1, 2.4.3.2 */
export async function transportDamage(source: ByteSource): Promise<Damage> {
  const start = startOf(source.head, 0, source.head.length);
  if (start === undefined) return { places: 0, isOpen: false };
  const { stride } = start;
  const tracks = new Map<number, Track>();
  let [places, jumps, packets, brokenAt, at] = [0, 0, 0, -1, start.at];
  const breaks = (): void => {
    places += 1;
    brokenAt = packets;
  };
  while (at + packetBytes <= source.sizeBytes) {
    const window = await bytesAt(source, at, Math.min(stride * packetsAtOnce, source.sizeBytes - at));
    let place = 0;
    for (; place + packetBytes <= window.length && window[place] === sync; place += stride) {
      packets += 1;
      const isMissing = isLost(tracks, window.subarray(place, place + packetBytes), packets, brokenAt);
      if (isMissing === undefined) continue;
      jumps += 1;
      if (isMissing) breaks();
    }
    at += place;
    if (place + packetBytes > window.length || window[place] === sync) continue;
    breaks();
    tracks.clear();
    const next = await resumed(source, at + 1, stride);
    if (next === undefined) break;
    at = next;
  }
  // A writer that does not number its packets.
  if (jumps > packets / 10) return { places: 0, isOpen: false };
  const media = [...tracks.values()].filter(({ isMedia }) => isMedia);
  const isCut =
    at < source.sizeBytes - (stride - packetBytes) || (!media.some(({ isRagged }) => isRagged) && media.some(({ left }) => left > 0));
  return { places, isOpen: isCut };
}

/** Where packets begin within some bytes, and how far apart. */
function startOf(bytes: Buffer, from: number, to: number, among: readonly number[] = strides) {
  for (let at = bytes.indexOf(sync, from); at >= 0 && at < to; at = bytes.indexOf(sync, at + 1)) {
    for (const stride of among) {
      let count = 1;
      while (count < sure && bytes[at + count * stride] === sync) count += 1;
      if (count === sure) return { at, stride };
    }
  }
  return undefined;
}

async function resumed(source: ByteSource, from: number, stride: number): Promise<number | undefined> {
  const step = stride * packetsAtOnce;
  for (let at = from; at < source.sizeBytes; at += step) {
    const bytes = await bytesAt(source, at, Math.min(step + sure * stride, source.sizeBytes - at));
    const found = startOf(bytes, 0, step, [stride]);
    if (found !== undefined) return at + found.at;
  }
  return undefined;
}

/** Undefined if a packet follows the last one of its track. Otherwise whether that shows a loss: two streams may have been joined. */
function isLost(tracks: Map<number, Track>, packet: Buffer, number: number, brokenAt: number): boolean | undefined {
  const [id, flags] = [packet.readUInt16BE(1) & 0x1fff, packet[3] ?? 0];
  const hasPayload = (flags & 0x10) !== 0;
  if (id === 0x1fff || !hasPayload) return undefined;
  const extra = (flags & 0x20) === 0 ? 0 : 1 + (packet[4] ?? 0);
  const payload = packet.subarray(Math.min(packetBytes, 4 + extra));
  const isFirst = ((packet[1] ?? 0) & 0x40) !== 0;
  const isBroken = ((packet[1] ?? 0) & 0x80) !== 0;
  const counter = flags & 0x0f;
  const track = tracks.get(id) ?? { counter: -1, left: 0, isRagged: !isFirst, isMedia: false, seenAt: -1 };
  tracks.set(id, track);
  const isReset = extra > 1 && ((packet[5] ?? 0) & 0x80) !== 0;
  const isAgain = track.counter === counter && !isFirst;
  if (isAgain) return isBroken ? true : undefined;
  const jumps = track.counter >= 0 && !isReset && counter !== ((track.counter + 1) & 0x0f);
  const isNews = track.seenAt >= brokenAt;
  const isMissing = jumps && track.isMedia && (!isFirst || track.left > 0);
  track.counter = counter;
  track.seenAt = number;
  if (isFirst) begin(track, payload);
  else track.left = Math.max(0, track.left - payload.length);
  if (isBroken) return true;
  return jumps ? isMissing && isNews : undefined;
}

/** @see ISO 13818-1, 2.4.3.6: a packet of sound or pictures, with its length or 0. */
function begin(track: Track, payload: Buffer): void {
  track.isMedia = payload.length >= 6 && payload.readUIntBE(0, 3) === 1;
  const told = track.isMedia ? payload.readUInt16BE(4) : 0;
  track.left = told === 0 ? 0 : Math.max(0, told + 6 - payload.length);
}
