import { useState } from "preact/hooks";
import { Icon } from "#client/parts/icons.tsx";
import { t } from "#client/parts/language.tsx";
import { durationText, renamed, sizeText, untilText } from "#client/parts/words.ts";
import type { Job } from "#client/server/wire.ts";
import { formatOf } from "./catalogue.ts";
import type { Item } from "./items.ts";
import { Paper } from "./paper.tsx";
import { again } from "./run.ts";

export function resultName(item: Item): string {
  return renamed(item.name, formatOf(item.to)?.extensions[0] ?? item.to ?? "bin");
}

/** A result: look at it, take it. */
export function Finished({ item, job }: { item: Item; job: Job }) {
  const address = `/web/v1/jobs/${job.id}/download`;
  const [open, setOpen] = useState(false);
  const view = viewOf(formatOf(item.to)?.mime ?? "");
  const name = resultName(item);
  return (
    <div class="finished">
      {view !== undefined && view !== "paper" && <Preview view={view} name={name} address={`${address}?inline=1`} />}
      <div class="finished-line">
        <p class="finished-text">
          <span class="done-mark">
            <Icon name="check" />
          </span>
          <span>
            <strong>{job.to.toUpperCase()}</strong> {sizeText(job.bytes)}
            <span class="quiet">
              {" "}
              {t("text.inTime", { time: durationText(job.durationMs) })}
              {job.expiresAt !== null && <> · {t("text.keptFor", { time: untilText(job.expiresAt) })}</>}
            </span>
          </span>
        </p>
        <div class="finished-actions">
          {item.file !== undefined && (
            <button type="button" class="button" onClick={() => again(item)}>
              {t("do.anotherFormat")}
            </button>
          )}
          {view === "paper" && (
            <button type="button" class="button" aria-expanded={open} onClick={() => setOpen(!open)}>
              <Icon name="eye" />
              {t(open ? "do.hide" : "do.preview")}
            </button>
          )}
          <a class="button button-primary" href={address} download={name} aria-label={t("aria.download", { name })}>
            <Icon name="down" />
            {t("do.download")}
          </a>
        </div>
      </div>
      {open && <Paper address={address} name={name} bytes={job.bytes} />}
      <Notes notes={job.notes} />
    </div>
  );
}

export function Notes({ notes }: { notes: Job["notes"] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="notes" aria-label={t("aria.notes")}>
      {notes.map((note) => (
        <li key={note.code + note.message}>
          <Icon name="info" />
          <span>{note.message}</span>
        </li>
      ))}
    </ul>
  );
}

type View = "picture" | "sound" | "film" | "paper";

/** What browsers show by themselves; the server sends nothing else to be looked at. */
function viewOf(mime: string): View | undefined {
  if (/^image\/(png|jpeg|gif|webp|avif|apng|svg\+xml|bmp|vnd\.microsoft\.icon|x-icon)$/.test(mime)) return "picture";
  if (/^audio\/(mpeg|mp4|ogg|opus|wav|x-wav|vnd\.wave|flac|x-flac|aac|webm|x-m4a)$/.test(mime)) return "sound";
  if (/^video\/(mp4|webm|ogg|x-m4v)$/.test(mime)) return "film";
  return mime === "application/pdf" ? "paper" : undefined;
}

function Preview({ view, name, address }: { view: Exclude<View, "paper">; name: string; address: string }) {
  const [broken, setBroken] = useState(false);
  const onError = (): void => setBroken(true);
  if (broken) return null;
  switch (view) {
    case "picture":
      return <img class="preview preview-picture" src={address} alt={t("aria.preview", { name })} loading="lazy" onError={onError} />;
    case "sound":
      // biome-ignore lint/a11y/useMediaCaption: the reader's own sound; there is no text of it
      return <audio class="preview" controls preload="metadata" src={address} aria-label={name} onError={onError} />;
    case "film":
      // biome-ignore lint/a11y/useMediaCaption: the reader's own film; there is no text of it
      return <video class="preview preview-film" controls preload="metadata" src={address} aria-label={name} onError={onError} />;
  }
}
