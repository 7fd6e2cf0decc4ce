import { agoText, instantText } from "./words.ts";

/** How long ago it was, or how soon it is. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={instantText(at)}>
      {agoText(at)}
    </time>
  );
}
