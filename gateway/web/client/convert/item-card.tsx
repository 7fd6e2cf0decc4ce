import { useEffect, useRef } from "preact/hooks";
import { Field } from "#client/parts/form.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { leftText, ordinal, sizeText, splitName } from "#client/parts/words.ts";
import type { Job } from "#client/server/wire.ts";
import { formatOf } from "./catalogue.ts";
import { Choice } from "./item-choice.tsx";
import { Finished } from "./item-result.tsx";
import type { Failure, Item } from "./items.ts";
import { draggingOf, PlaceButtons } from "./place-buttons.tsx";
import { again, cancel, dismiss, unlock } from "./run.ts";

let lastFocused: string | undefined;
document.addEventListener("focusin", ({ target }) => {
  lastFocused = target instanceof Element ? target.closest<HTMLElement>("[data-item]")?.dataset.item : undefined;
});

/** One file, from its choice to its result. */
export function ItemCard({ item }: { item: Item }) {
  const card = useRef<HTMLLIElement>(null);
  // The control that had the focus is gone with its phase: the next one takes over, so that the keyboard goes on from here.
  useEffect(() => {
    if (lastFocused !== item.id || document.activeElement !== document.body) return;
    card.current?.querySelector<HTMLElement>(".button-primary, .item-progress button, .item-failure button")?.focus();
  }, [item.id, item.phase.name]);
  return (
    <li ref={card} {...draggingOf(item)} class={`item item-${item.phase.name}`} aria-label={item.name} data-item={item.id}>
      <div class="item-head">
        <FileSign item={item} />
        <div class="item-title">
          <FileName name={item.name} />
          <p class="quiet item-meta">
            {formatOf(item.from)?.label ?? "Unknown format"} · {sizeText(item.sizeBytes)}
          </p>
        </div>
        <PlaceButtons item={item} />
        <button type="button" class="icon-button" aria-label={`Remove ${item.name} from the list`} onClick={() => dismiss(item)}>
          <Icon name="close" />
        </button>
      </div>
      <Body item={item} />
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
          title={phase.offline === true ? "No connection to the server" : "Waiting for its turn"}
          detail={phase.why ?? ""}
          fraction={undefined}
        />
      );
    case "uploading":
      return <Progress item={item} title="Uploading" detail={`${Math.round(phase.fraction * 100)} %`} fraction={phase.fraction} />;
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
              Convert again
            </button>
          )}
        </div>
      );
  }
}

function FileSign({ item }: { item: Item }) {
  const format = formatOf(item.from);
  return (
    <span class={`sign sign-${format?.kind ?? "unknown"}`} aria-hidden="true">
      {(item.from ?? "?").slice(0, 5)}
    </span>
  );
}

/** Long names lose their middle, not their end. */
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
  if (job === undefined) return { title: "Checking the file", detail: "" };
  const left = job.estimateMs === null || job.estimateMs === 0 ? "" : leftText(job.estimateMs);
  if (job.status === "queued") {
    const place = job.queuePosition === null || job.queuePosition <= 1 ? "Next in the queue" : `${ordinal(job.queuePosition)} in the queue`;
    return { title: place, detail: left };
  }
  return {
    title: `Converting to ${item.to?.toUpperCase()}`,
    detail: [progress === undefined ? "" : `${Math.round(progress * 100)} %`, left].filter(Boolean).join(" · "),
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
      <progress aria-label={`${title}: ${item.name}`} max={1} {...(fraction === undefined ? {} : { value: fraction })} />
      <button type="button" class="link-button" onClick={() => void cancel(item)}>
        Cancel
      </button>
    </div>
  );
}

/** What a reader can do about a refusal, where the refusal itself does not say. */
const advice: Readonly<Record<string, string>> = {
  INPUT_TOO_LARGE: "Try a smaller file, or a plan with a higher limit.",
  INVALID_INPUT: "Open the file in the program that made it, save it again and retry.",
  UNSUPPORTED_CONVERSION: "Choose another target.",
  CONVERSION_FAILED: "Another target often works for the same file.",
  CONVERSION_TIMEOUT: "Try a shorter or simpler file.",
  SIGN_IN_REQUIRED: "Your session has ended. Sign in again in another tab, or try again as a guest.",
};

/** The service may lack the password of the file or the one for the result; only its words say which. */
function lacksEither({ options, password }: Item): boolean {
  return options.protect === true && password === undefined;
}

function lockedText(item: Item, { message }: Failure): string {
  if (lacksEither(item)) return message;
  return item.password === undefined
    ? "The file is protected by a password."
    : "The password is wrong, or this kind of protection is not supported.";
}

function Password({ item }: { item: Item }) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const password = new FormData(event.currentTarget as HTMLFormElement).get("password");
    if (typeof password === "string" && password !== "") unlock(item, password);
  };
  return (
    <form class="password-form" onSubmit={submit}>
      <Field label="Password of the file" name="password" type="password" required maxLength={512} />
      <button type="submit" class="button button-primary">
        Unlock and convert
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
          <p>{failure.code === "PASSWORD_REQUIRED" ? lockedText(item, failure) : failure.message}</p>
          <p class="quiet">
            {advice[failure.code] ?? ""}{" "}
            {failure.code === "SIGN_IN_REQUIRED" && (
              <a href="/automate" target="_blank" rel="noopener">
                Sign in
              </a>
            )}{" "}
            {isDocumented && <a href={`/docs/errors#${failure.code}`}>What {failure.code} means</a>}
          </p>
        </div>
      </div>
      {item.file !== undefined && failure.code === "PASSWORD_REQUIRED" && <Password item={item} />}
      {item.file !== undefined && (failure.code !== "PASSWORD_REQUIRED" || lacksEither(item)) && (
        <button type="button" class="button" onClick={() => again(item)}>
          <Icon name="again" />
          Try again
        </button>
      )}
    </div>
  );
}
