import { formatOf } from "#client/convert/catalogue.ts";
import type { Item } from "#client/convert/items.ts";
import { Icon } from "#client/parts/icons.tsx";
import { refusalText, t } from "#client/parts/language.tsx";
import { sizeText } from "#client/parts/words.ts";

type LineProps = {
  item: Item;
  isOpen: boolean;
  /** What prevents the conversion. */
  problem: string | undefined;
  resultName: string;
  onToggle(): void;
};

/** A file's state in a few words, with a link to its result. */
export function LineState({ item, isOpen, problem, resultName, onToggle }: LineProps) {
  const { phase } = item;
  const isBad = phase.name === "failed" || (phase.name === "choosing" && problem !== undefined);
  return (
    <>
      <span class={`line-state${isBad ? " line-bad" : ""}`}>
        {isBad && <Icon name="warn" />}
        {phase.name === "done" && <Icon name="check" />}
        <span>{stateOf(item, problem)}</span>
      </span>
      {phase.name === "done" && (
        <a
          class="icon-button line-download"
          href={`/web/v1/jobs/${phase.job.id}/download`}
          download={resultName}
          aria-label={t("aria.download", { name: resultName })}
        >
          <Icon name="down" />
        </a>
      )}
      <button
        type="button"
        class={`icon-button line-toggle${isOpen ? " line-toggle-open" : ""}`}
        aria-expanded={isOpen}
        aria-label={t("do.showDetails", { name: item.name })}
        onClick={onToggle}
      >
        <Icon name="chevron" />
      </button>
    </>
  );
}

function stateOf({ phase, to, from }: Item, problem: string | undefined): string {
  const format = to?.toUpperCase() ?? "";
  switch (phase.name) {
    case "choosing":
      if (problem !== undefined) return problem;
      return to === undefined || formatOf(from) === undefined ? t("text.noTarget") : t("text.target", { format });
    case "waiting":
      return t(phase.offline === true ? "progress.offline" : "progress.waiting");
    case "uploading":
      return t("progress.uploading");
    case "working":
      return phase.job?.status === "queued" ? t("progress.waiting") : t("progress.converting", { format });
    case "done":
      return `${phase.job.to.toUpperCase()} · ${sizeText(phase.job.bytes)}`;
    case "failed":
      return refusalText(phase.failure);
    case "gone":
      return phase.why;
  }
}

/** Progress bar beside the state. */
export function LineProgress({ item }: { item: Item }) {
  const { phase } = item;
  if (phase.name !== "uploading" && phase.name !== "working") return null;
  const what = phase.name === "uploading" ? t("progress.uploading") : t("progress.converting", { format: item.to?.toUpperCase() ?? "" });
  const fraction = phase.name === "uploading" ? phase.fraction : phase.progress;
  return (
    <progress
      class="line-progress"
      aria-label={t("aria.pair", { name: what, value: item.name })}
      max={1}
      {...(fraction === undefined ? {} : { value: fraction })}
    />
  );
}
