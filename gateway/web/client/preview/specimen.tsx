import { useEffect, useState } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { messageOf } from "#client/server/api.ts";
import { ask } from "./ask.ts";

/** Chinese and Japanese fonts have 10 to 30 MB. */
const MAX_BYTES = 40_000_000;
const sizes = ["3rem", "1.75rem", "1rem"] as const;
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 .,;:!?&@%()[]{}";
let families = 0;

/** A font's letters, and any text in that font. The browser rejects fonts that it considers unsafe. */
export function Specimen({ address, name, bytes }: { address: string; name: string; bytes: number }) {
  const [family, setFamily] = useState<string | undefined>();
  const [error, setError] = useState<unknown>();
  const [text, setText] = useState("");
  useEffect(() => {
    if (bytes > MAX_BYTES) return;
    const stop = new AbortController();
    let face: FontFace | undefined;
    const load = async (): Promise<void> => {
      const data = await (await ask(address, stop.signal)).arrayBuffer();
      families += 1;
      face = await new FontFace(`specimen-${families}`, data).load();
      if (stop.signal.aborted) return;
      document.fonts.add(face);
      setFamily(face.family);
    };
    load().catch((problem: unknown) => {
      if (!stop.signal.aborted) setError(problem);
    });
    return () => {
      stop.abort();
      if (face !== undefined) document.fonts.delete(face);
    };
  }, [address]);
  if (error !== undefined) return <Notice tone="bad">{error instanceof DOMException ? t("text.fontNotShown") : messageOf(error)}</Notice>;
  if (bytes > MAX_BYTES) return null;
  if (family === undefined) return <p class="quiet">{t("text.loadingPreview")}</p>;
  // Characters missing in the font appear in the browser's serif font, so that they look different.
  const style = { fontFamily: `"${family}", serif` };
  return (
    <div class="shown">
      <section class="specimen" aria-label={t("aria.preview", { name })} dir="auto" style={style}>
        {sizes.map((fontSize) => (
          <p key={fontSize} style={{ fontSize }}>
            {text === "" ? letters : text}
          </p>
        ))}
      </section>
      <label class="field">
        {t("label.tryText")}
        <input type="text" dir="auto" maxLength={200} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
    </div>
  );
}
