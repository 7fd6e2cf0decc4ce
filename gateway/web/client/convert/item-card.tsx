import { useEffect, useRef, useState } from "preact/hooks";
import { LineProgress, LineState } from "#client/many/line.tsx";
import { hasThumbnail, Thumbnail } from "#client/many/thumbnail.tsx";
import { Field } from "#client/parts/form.tsx";
import { IconButton } from "#client/parts/icon-button.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { refusalText, t, textOf } from "#client/parts/language.tsx";
import { leftText, percentText, sizeText, splitName } from "#client/parts/words.ts";
import type { Job } from "#client/server/wire.ts";
import { formatOf, routesFrom } from "./catalogue.ts";
import { Choice, problemOf } from "./item-choice.tsx";
import { Finished, resultName } from "./item-result.tsx";
import type { Failure, Item } from "./items.ts";
import { draggingOf, PlaceButtons } from "./place-buttons.tsx";
import { again, cancel, dismiss, unlock } from "./run.ts";

let lastFocused: string | undefined;
document.addEventListener("focusin", ({ target }) => {
  lastFocused = target instanceof Element ? target.closest<HTMLElement>("[data-item]")?.dataset.item : undefined;
});

type CardProps = {
  item: Item;
  /** Index in the list, from 0. */
  place: number;
  /** Number of files in the list. */
  count: number;
  /** Shown as a closed line until it is opened, because the list is long. */
  isLine: boolean;
};

/** One file, from its choice to its result. */
export function ItemCard({ item, place, count, isLine }: CardProps) {
  const card = useRef<HTMLLIElement>(null);
  const [isOpened, setOpened] = useState(false);
  const isOpen = !isLine || isOpened;
  // When a change of phase removes the focused control, moves the focus to the next one, so that keyboard users can continue.
  useEffect(() => {
    if (lastFocused !== item.id || document.activeElement !== document.body) return;
    card.current?.querySelector<HTMLElement>(".button-primary, .item-progress button, .item-failure button")?.focus();
  }, [item.id, item.phase.name]);
  return (
    <li
      ref={card}
      {...draggingOf(item, count)}
      class={`item item-${item.phase.name}${isLine ? ` line${isOpen ? " line-open" : ""}` : ""}`}
      aria-label={item.name}
      data-item={item.id}
    >
      <div class="item-head">
        <FileSign item={item} />
        <div class="item-title">
          <FileName name={item.name} />
          <p class="quiet item-meta">
            {item.folder !== "" && <span class="item-folder">{item.folder} · </span>}
            {formatOf(item.from)?.label ?? t("label.unknownFormat")} · {sizeText(item.sizeBytes)}
          </p>
        </div>
        {isLine && (
          <LineState
            item={item}
            isOpen={isOpen}
            problem={problemOf(
              item,
              routesFrom(item.from ?? "")?.find(({ to }) => to === item.to),
            )}
            resultName={resultName(item)}
            onToggle={() => setOpened(!isOpened)}
          />
        )}
        <PlaceButtons item={item} place={place} count={count} />
        <IconButton icon="close" label={t("aria.remove", { name: item.name })} onClick={() => dismiss(item)} />
      </div>
      {isOpen ? <Body item={item} /> : <LineProgress item={item} />}
    </li>
  );
}

function Body({ item }: { item: Item }) {
  const { phase } = item;
  switch (phase.name) {
    case "choosing":
      return <Choice item={item} />;
    case "waiting":
      return (
        <Progress
          item={item}
          title={t(phase.offline === true ? "progress.offline" : "progress.waiting")}
          detail={phase.why ?? ""}
          fraction={undefined}
        />
      );
    case "uploading":
      return <Progress item={item} title={t("progress.uploading")} detail={percentText(phase.fraction)} fraction={phase.fraction} />;
    case "working":
      return <Progress item={item} {...workOf(item, phase.job, phase.progress)} fraction={phase.progress} />;
    case "done":
      return <Finished item={item} job={phase.job} />;
    case "failed":
      return <Failed item={item} failure={phase.failure} />;
    case "gone":
      return (
        <div class="item-foot">
          <p class="quiet">{phase.why}</p>
          {item.file !== undefined && (
            <button type="button" class="button" onClick={() => again(item)}>
              {t("do.convertAgain")}
            </button>
          )}
        </div>
      );
  }
}

function FileSign({ item }: { item: Item }) {
  const format = formatOf(item.from);
  const { file } = item;
  return (
    <span class={`sign sign-${format?.kind ?? "unknown"}`} aria-hidden="true">
      {(item.from ?? "?").slice(0, 5)}
      {file !== undefined && hasThumbnail(file) && <Thumbnail file={file} />}
    </span>
  );
}

/** Shortens long names in the middle, so that the extension stays visible. */
function FileName({ name }: { name: string }) {
  const [head, tail] = splitName(name);
  return (
    <p class="item-name" title={name}>
      <span class="name-head">{head}</span>
      <span class="name-tail">{tail}</span>
    </p>
  );
}

function workOf(item: Item, job: Job | undefined, progress: number | undefined): { title: string; detail: string } {
  if (job === undefined) return { title: t("progress.checking"), detail: "" };
  const left = job.estimateMs === null || job.estimateMs === 0 ? "" : leftText(job.estimateMs);
  if (job.status === "queued") {
    const place = job.queuePosition ?? 1;
    return { title: place <= 1 ? t("progress.next") : t("progress.place", { place }), detail: left };
  }
  return {
    title: t("progress.converting", { format: item.to?.toUpperCase() ?? "" }),
    detail: [progress === undefined ? "" : percentText(progress), left].filter(Boolean).join(" · "),
  };
}

type ProgressProps = { item: Item; title: string; detail: string; fraction: number | undefined };

function Progress({ item, title, detail, fraction }: ProgressProps) {
  return (
    <div class="item-progress">
      <p class="progress-line">
        <span>{title}</span>
        <span class="quiet progress-detail">{detail}</span>
      </p>
      <progress
        aria-label={t("aria.pair", { name: title, value: item.name })}
        max={1}
        {...(fraction === undefined ? {} : { value: fraction })}
      />
      <button type="button" class="link-button" onClick={() => void cancel(item)}>
        {t("do.cancel")}
      </button>
    </div>
  );
}

/** Either the file's password or the one for the result may be missing. Only the server's message says which. */
function lacksEither({ options, password }: Item): boolean {
  return options.protect === true && password === undefined;
}

function lockedText(item: Item, failure: Failure): string {
  if (lacksEither(item)) return refusalText(failure);
  return t(item.password === undefined ? "error.PASSWORD_REQUIRED" : "text.wrongPassword");
}

function Password({ item }: { item: Item }) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const password = new FormData(event.currentTarget as HTMLFormElement).get("password");
    if (typeof password === "string" && password !== "") unlock(item, password);
  };
  return (
    <form class="password-form" onSubmit={submit}>
      <Field label={t("label.filePassword")} name="password" type="password" required maxLength={512} />
      <button type="submit" class="button button-primary">
        {t("do.unlock")}
      </button>
    </form>
  );
}

function Failed({ item, failure }: { item: Item; failure: Failure }) {
  const isDocumented =
    /^[A-Z_]+$/.test(failure.code) && !["OFFLINE", "PAGE_FAILED", "FILE_UNREADABLE", "UNREADABLE_ANSWER"].includes(failure.code);
  return (
    <div class="item-failure">
      <div class="failure-text">
        <Icon name="warn" />
        <div>
          <p>{failure.code === "PASSWORD_REQUIRED" ? lockedText(item, failure) : refusalText(failure)}</p>
          <p class="quiet">
            {textOf(`advice.${failure.code}`) ?? ""}{" "}
            {failure.code === "SIGN_IN_REQUIRED" && (
              <a href="/automate" target="_blank" rel="noopener">
                {t("do.signIn")}
              </a>
            )}{" "}
            {isDocumented && <a href={`/docs/errors#${failure.code}`}>{t("text.whatCodeMeans", { code: failure.code })}</a>}
          </p>
        </div>
      </div>
      {item.file !== undefined && failure.code === "PASSWORD_REQUIRED" && <Password item={item} />}
      {item.file !== undefined && (failure.code !== "PASSWORD_REQUIRED" || lacksEither(item)) && (
        <button type="button" class="button" onClick={() => again(item)}>
          <Icon name="again" />
          {t("do.tryAgain")}
        </button>
      )}
    </div>
  );
}
