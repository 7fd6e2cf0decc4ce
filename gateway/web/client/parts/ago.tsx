import { agoText, instantText } from "./words.ts";

/** Relative time of an instant in the past or future. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={instantText(at)}>
      {agoText(at)}
    </time>
  );
}

/** The same at the end of a line, if it is known. */
export function DotAgo({ at }: { at: string | null }) {
  return at === null ? null : (
    <>
      {" · "}
      <Ago at={at} />
    </>
  );
}
