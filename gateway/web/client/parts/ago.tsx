import { agoText, instantText } from "./words.ts";

/** Relative time of an instant in the past or future. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={instantText(at)}>
      {agoText(at)}
    </time>
  );
}
