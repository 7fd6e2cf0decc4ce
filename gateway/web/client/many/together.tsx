import { computed } from "@preact/signals";
import { items } from "#client/convert/items.ts";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { AllTo, namesText } from "./all-to.tsx";
import { countsOf } from "./groups.ts";
import { SaidOnce } from "./said-once.tsx";
import { isReading, leftOut } from "./taking.ts";
import { MAX_FILES } from "./walk.ts";

const counts = computed(() => countsOf(items.value));

/** Everything about the list as a whole: files that were left out, one target for many, and shared messages. */
export function Together() {
  const out = leftOut.value;
  return (
    <>
      {isReading.value && <Notice tone="plain">{t("text.readingFolders")}</Notice>}
      {out !== undefined && (
        <Notice tone="plain">
          {out.unreadable.length > 0 && <p>{t("text.unreadable", { n: out.unreadable.length, names: namesText(out.unreadable) })}</p>}
          {out.cut && <p>{t("text.cut", { n: MAX_FILES })}</p>}
        </Notice>
      )}
      <AllTo />
      {items.value.length > 4 && <SaidOnce />}
    </>
  );
}

/** Progress of everything that was started. */
export function WholeProgress() {
  const { fraction, busy } = counts.value;
  if (fraction === undefined || busy === 0) return null;
  return <progress class="whole-progress" aria-label={t("aria.together")} max={1} value={fraction} />;
}
