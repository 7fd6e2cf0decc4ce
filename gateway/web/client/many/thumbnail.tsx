import { useEffect, useRef, useState } from "preact/hooks";

/** Types that browsers decode. Decoding larger files takes longer than a thumbnail is worth. */
const decodable = /^image\/(png|jpeg|webp|gif|avif|bmp)$/;
const MAX_BYTES = 40_000_000;
/** Twice the displayed size, for high-density screens. */
const EDGE = 88;

/** Thumbnails are made one at a time, because each briefly holds a whole picture in memory. */
let before: Promise<unknown> = Promise.resolve();

export function hasThumbnail({ type, size }: File): boolean {
  return decodable.test(type) && size <= MAX_BYTES;
}

/** A thumbnail, made when it scrolls into view. Empty if the browser cannot decode the picture; its name is shown beside it. */
export function Thumbnail({ file }: { file: File }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const target = canvas.current;
    if (target === null) return;
    const sight = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      sight.disconnect();
      before = before.then(async () => {
        if (!stop.signal.aborted && (await draw(file, target))) setDrawn(true);
      });
    });
    sight.observe(target);
    return () => {
      stop.abort();
      sight.disconnect();
    };
  }, [file]);
  return <canvas ref={canvas} class={`thumbnail${isDrawn ? " thumbnail-drawn" : ""}`} width={EDGE} height={EDGE} />;
}

async function draw(file: File, target: HTMLCanvasElement): Promise<boolean> {
  try {
    const picture = await createImageBitmap(file);
    const edge = Math.min(picture.width, picture.height);
    const [x, y] = [(picture.width - edge) / 2, (picture.height - edge) / 2];
    target.getContext("2d")?.drawImage(picture, x, y, edge, edge, 0, 0, EDGE, EDGE);
    picture.close();
    return true;
  } catch {
    return false;
  }
}
