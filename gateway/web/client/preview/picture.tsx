import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { hasThumbnail } from "#client/many/thumbnail.tsx";
import { Copy } from "#client/parts/copy.tsx";
import { t } from "#client/parts/language.tsx";
import { ownHeader } from "#client/server/api.ts";

type PictureProps = { address: string; name: string; source: File | undefined; onError(): void };

/** A picture. If the original is a picture of the same shape, both can be compared. */
export function Picture({ address, name, source, onError }: PictureProps) {
  const [shape, setShape] = useState<number | undefined>();
  const original = useOriginal(source);
  const isSameShape = shape !== undefined && original !== undefined && Math.abs(shape / original.shape - 1) < 0.02;
  const canCopy = typeof ClipboardItem === "function" && navigator.clipboard !== undefined;
  return (
    <div class="shown">
      <Compared before={isSameShape ? original.url : undefined} name={name}>
        <img
          class="preview preview-picture"
          src={address}
          alt={t("aria.preview", { name })}
          loading="lazy"
          onLoad={({ currentTarget }) => setShape(currentTarget.naturalWidth / currentTarget.naturalHeight)}
          onError={onError}
        />
      </Compared>
      {canCopy && <Copy label={t("do.copyPicture")} copy={() => copyPicture(address)} />}
    </div>
  );
}

type ComparedProps = { before: string | undefined; name: string; children: ComponentChildren };

function Compared({ before, name, children }: ComparedProps) {
  const [share, setShare] = useState(50);
  return (
    <div class="compare" style={{ "--share": `${share}%` }}>
      <div class="compare-pictures">
        {children}
        {before !== undefined && <img class="compare-before" src={before} alt={t("aria.original", { name })} />}
        {before !== undefined && <span class="compare-line" />}
      </div>
      {before !== undefined && (
        <label class="compare-slider">
          <span class="quiet">{t("label.before")}</span>
          <input
            type="range"
            min={0}
            max={100}
            value={share}
            aria-label={t("aria.slideBefore")}
            onInput={({ currentTarget }) => setShare(Number(currentTarget.value))}
          />
          <span class="quiet">{t("label.after")}</span>
        </label>
      )}
    </div>
  );
}

/** The original picture, if the browser can display it. */
function useOriginal(source: File | undefined): { readonly url: string; readonly shape: number } | undefined {
  const [original, setOriginal] = useState<{ url: string; shape: number } | undefined>();
  useEffect(() => {
    if (source === undefined || !hasThumbnail(source)) return;
    const url = URL.createObjectURL(source);
    const image = new Image();
    image.addEventListener("load", () => setOriginal({ url, shape: image.naturalWidth / image.naturalHeight }));
    image.src = url;
    return () => URL.revokeObjectURL(url);
  }, [source]);
  return original;
}

/** Copies as PNG, the type that clipboards accept. */
async function copyPicture(address: string): Promise<void> {
  await navigator.clipboard.write([new ClipboardItem({ "image/png": pngOf(address) })]);
}

async function pngOf(address: string): Promise<Blob> {
  const answer = await fetch(address, { headers: ownHeader });
  const blob = await answer.blob();
  if (blob.type === "image/png") return blob;
  const image = new Image();
  image.src = URL.createObjectURL(blob);
  try {
    await image.decode();
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return await canvas.convertToBlob({ type: "image/png" });
  } finally {
    URL.revokeObjectURL(image.src);
  }
}
