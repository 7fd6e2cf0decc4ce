import { useState } from "preact/hooks";
import { HandOn } from "#client/account/hand-on.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { t } from "#client/parts/language.tsx";
import { Note } from "#client/parts/note.tsx";
import { durationText, renamed, sizeText, untilText } from "#client/parts/words.ts";
import { Preview } from "#client/preview/preview.tsx";
import { isShownAtOnce, viewOf } from "#client/preview/views.ts";
import type { Job } from "#client/server/wire.ts";
import { formatOf } from "./catalogue.ts";
import type { Item } from "./items.ts";
import { again } from "./run.ts";

export function resultName(item: Item): string {
  return renamed(item.name, formatOf(item.to)?.extensions[0] ?? item.to ?? "bin");
}

/** A result, with preview and download. */
export function Finished({ item, job }: { item: Item; job: Job }) {
  const address = `/web/v1/jobs/${job.id}/download`;
  const [open, setOpen] = useState(false);
  const view = viewOf(formatOf(item.to));
  const isShown = view !== undefined && (open || isShownAtOnce(view));
  const name = resultName(item);
  const preview = isShown && <Preview view={view} name={name} address={address} bytes={job.bytes} source={item.file} />;
  return (
    <div class="finished">
      {view !== undefined && isShownAtOnce(view) && preview}
      <div class="finished-line">
        <p class="finished-text">
          <span class="done-mark">
            <Icon name="check" />
          </span>
          <span>
            <strong>{job.to.toUpperCase()}</strong> {t("text.sizes", { before: sizeText(item.sizeBytes), after: sizeText(job.bytes) })}
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
          {view !== undefined && !isShownAtOnce(view) && (
            <button type="button" class="button" aria-expanded={open} onClick={() => setOpen(!open)}>
              <Icon name="eye" />
              {t(open ? "do.hide" : "do.preview")}
            </button>
          )}
          <HandOn job={job} name={name} />
          <a class="button button-primary" href={address} download={name} aria-label={t("aria.download", { name })}>
            <Icon name="down" />
            {t("do.download")}
          </a>
        </div>
      </div>
      {view !== undefined && !isShownAtOnce(view) && preview}
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
          <span>
            <Note note={note} />
          </span>
        </li>
      ))}
    </ul>
  );
}
