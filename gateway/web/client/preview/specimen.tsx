import { useState } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import { messageOf } from "#client/server/api.ts";
import { ask } from "./ask.ts";
import { NotYet, useLoaded } from "./loaded.tsx";

/** Chinese and Japanese fonts have 10 to 30 MB. */
const MAX_BYTES = 40_000_000;
const sizes = ["3rem", "1.75rem", "1rem"] as const;
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 .,;:!?&@%()[]{}";
let families = 0;

/** A font's letters, and any text in that font. The browser rejects fonts that it considers unsafe. */
export function Specimen({ address, name, bytes }: { address: string; name: string; bytes: number }) {
  return bytes > MAX_BYTES ? null : <Trial address={address} name={name} />;
}

function Trial({ address, name }: { address: string; name: string }) {
  const [text, setText] = useState("");
  const load = async (signal: AbortSignal): Promise<FontFace> => {
    const data = await (await ask(address, signal)).arrayBuffer();
    families += 1;
    const face = await new FontFace(`specimen-${families}`, data).load();
    document.fonts.add(face);
    return face;
  };
  const { value: face, error } = useLoaded(address, load, (made) => void document.fonts.delete(made));
  if (face === undefined) return <NotYet error={error}>{error instanceof DOMException ? t("text.fontNotShown") : messageOf(error)}</NotYet>;
  // Characters missing in the font appear in the browser's serif font, so that they look different.
  const style = { fontFamily: `"${face.family}", serif` };
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
