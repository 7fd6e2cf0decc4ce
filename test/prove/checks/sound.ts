/** Audio: channels, rate, duration and noise compared with the sample. */
import { type Case, type Evidence, shareOf } from "#test/prove/evidence.ts";
import { type Sound, soundOf } from "#test/prove/readers/media.ts";
import { signalToNoise } from "#test/prove/readers/noise.ts";

const truths = new Map<string, Promise<Sound>>();

/** The sample's own audio, decoded once. */
export function truthOf(sample: Case["sample"]): Promise<Sound> {
  const known = truths.get(sample.path) ?? soundOf(sample);
  truths.set(sample.path, known);
  return known;
}

const secondsOf = ({ samples, channels, rate }: Sound): number => samples.length / channels / rate;

export async function checkSound({ sample, result, writer }: Case): Promise<Evidence> {
  const [wanted, found] = [await truthOf(sample), await soundOf(result, writer)];
  return {
    reader: found.reader,
    figures: {
      snr: signalToNoise(wanted, found),
      time: Math.abs(secondsOf(found) - secondsOf(wanted)),
      channels: shareOf(found.channels, wanted.channels),
      rate: shareOf(found.rate, wanted.rate),
    },
  };
}
