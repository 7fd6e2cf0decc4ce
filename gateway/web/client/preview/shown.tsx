import { useState } from "preact/hooks";
import { Model } from "./model.tsx";
import { Outline } from "./outline.tsx";
import { Paper } from "./paper.tsx";
import { Picture } from "./picture.tsx";
import { Sheets } from "./sheets.tsx";
import { Specimen } from "./specimen.tsx";
import { Letters } from "./text.tsx";
import type { PreviewProps } from "./views.ts";

/** The preview for a kind of result; nothing if the browser cannot display it. */
export function Shown({ view, name, address, bytes, source }: PreviewProps) {
  const [isBroken, setBroken] = useState(false);
  const inline = `${address}?inline=1`;
  const onError = (): void => setBroken(true);
  if (isBroken) return null;
  switch (view) {
    case "picture":
      return <Picture address={inline} name={name} source={source} onError={onError} />;
    case "sound":
      // biome-ignore lint/a11y/useMediaCaption: the reader's own audio, which has no captions
      return <audio class="preview" controls preload="metadata" src={inline} aria-label={name} onError={onError} />;
    case "film":
      // biome-ignore lint/a11y/useMediaCaption: the reader's own video, which has no captions
      return <video class="preview preview-film" controls preload="metadata" src={inline} aria-label={name} onError={onError} />;
    case "paper":
      return <Paper address={address} name={name} bytes={bytes} />;
    case "font":
      return <Specimen address={address} name={name} bytes={bytes} />;
    case "model":
      return <Model address={address} name={name} bytes={bytes} />;
    case "sheets":
      return <Sheets address={address} name={name} bytes={bytes} />;
    case "map":
      return (
        <>
          <Outline address={address} name={name} bytes={bytes} />
          <Letters address={address} name={name} bytes={bytes} isTable={false} />
        </>
      );
    default:
      return <Letters address={address} name={name} bytes={bytes} isTable={view === "table"} />;
  }
}
