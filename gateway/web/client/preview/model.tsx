import type { PointerEventHandler, RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import { ApiError, messageOf } from "#client/server/api.ts";
import { ask } from "./ask.ts";
import { NotYet, useLoaded } from "./loaded.tsx";
import { meshOfGltf } from "./model/gltf.ts";
import type { Mesh } from "./model/mesh.ts";
import { meshOfObj } from "./model/obj.ts";
import { drawMesh, reachOf, type Turn } from "./model/raster.ts";
import { inSlices } from "./model/steps.ts";
import { meshOfStl } from "./model/stl.ts";

/** Larger files would block the page. */
const MAX_BYTES = 20_000_000;
/** Twice the displayed size, for smooth edges. */
const size = { width: 960, height: 720 };
const RADIANS_A_PIXEL = 0.01;
const DEGREES = 180 / Math.PI;
const start: Turn = { yaw: -0.6, tilt: 0.4 };

/** A 3D model that can be turned by touch, mouse or keyboard. */
export function Model({ address, name, bytes }: { address: string; name: string; bytes: number }) {
  const {
    value: mesh,
    error,
    setError,
  } = useLoaded(address, async (signal) => {
    if (bytes > MAX_BYTES) throw new RangeError("more bytes than are drawn here");
    const content = await (await ask(address, signal)).arrayBuffer();
    const read = /\.stl$/.test(name) ? meshOfStl : /\.obj$/.test(name) ? meshOfObj : meshOfGltf;
    const made = await inSlices<Mesh>(read(content), signal);
    if (made.places.length === 0) throw new RangeError("nothing to draw");
    return made;
  });
  if (mesh === undefined) {
    return (
      <NotYet error={error} tone="plain">
        {error instanceof ApiError ? messageOf(error) : t("error.PREVIEW_FAILED")}
      </NotYet>
    );
  }
  return <Turning mesh={mesh} name={name} onError={setError} />;
}

type TurningProps = { mesh: Mesh; name: string; onError: (error: unknown) => void };

function Turning({ mesh, name, onError }: TurningProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [turn, setTurn] = useState(start);
  useDrawing(canvas, mesh, turn, onError);
  const move: PointerEventHandler<HTMLCanvasElement> = ({ buttons, movementX, movementY }) => {
    if (buttons === 0) return;
    const tilted = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, turn.tilt + movementY * RADIANS_A_PIXEL));
    setTurn(({ yaw }) => ({ yaw: (yaw + movementX * RADIANS_A_PIXEL) % (2 * Math.PI), tilt: tilted }));
  };
  return (
    <div class="turning">
      <canvas
        ref={canvas}
        class="turning-model"
        role="img"
        aria-label={t("aria.preview", { name })}
        {...size}
        onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
        onPointerMove={move}
      />
      <label class="turning-slider">
        {t("task.turn")}
        <input
          type="range"
          min={-180}
          max={180}
          value={degreesOf(turn.yaw)}
          onInput={({ currentTarget }) => setTurn({ ...turn, yaw: currentTarget.valueAsNumber / DEGREES })}
        />
      </label>
    </div>
  );
}

/** Draws one image at a time. Movements meanwhile are combined: the next image shows the latest position. */
function useDrawing(canvas: RefObject<HTMLCanvasElement | null>, mesh: Mesh, turn: Turn, onError: (error: unknown) => void): void {
  const reach = useMemo(() => reachOf(mesh), [mesh]);
  const stop = useMemo(() => new AbortController(), []);
  useEffect(() => () => stop.abort(), []);
  const isDrawing = useRef(false);
  const [drawn, setDrawn] = useState<Turn | undefined>();
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context == null || isDrawing.current || drawn === turn) return;
    isDrawing.current = true;
    const show = async (): Promise<void> => {
      const image = await inSlices(
        drawMesh(mesh, reach, turn, size, ({ width, height }) => new ImageData(width, height)),
        stop.signal,
      );
      Object.assign(context.canvas, { width: image.width, height: image.height });
      context.putImageData(image, 0, 0);
      isDrawing.current = false;
      setDrawn(turn);
    };
    show().catch((error: unknown) => {
      if (!stop.signal.aborted) onError(error);
    });
  }, [turn, drawn]);
}

/** Range: -180 to 180. */
function degreesOf(yaw: number): number {
  const degrees = Math.round(yaw * DEGREES);
  return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;
}
