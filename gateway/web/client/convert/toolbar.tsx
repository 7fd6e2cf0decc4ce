import { useState } from "preact/hooks";
import { WholeProgress } from "#client/many/together.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { messageOf } from "#client/server/api.ts";
import { routesFrom } from "./catalogue.ts";
import { HoldNotice } from "./hold.tsx";
import { problemOf } from "./item-choice.tsx";
import { resultName } from "./item-result.tsx";
import { busy, choosing, done, type Item, items } from "./items.ts";
import { canBeJoined, joinIntoOne } from "./join.ts";
import { convert, dismiss } from "./run.ts";
import { saveAsZip } from "./zip.ts";

/** Actions on all files of the list. */
export function Toolbar() {
  const ready = choosing.value.filter(isReady);
  const finished = done.value;
  const joinable = items.value.filter(canBeJoined);
  const settled = items.value.filter(({ phase }) => phase.name === "done" || phase.name === "failed" || phase.name === "gone");
  const [zip, setZip] = useState<"idle" | "saving" | "joining" | { error: string }>("idle");
  const isPacking = zip === "saving" || zip === "joining";
  if (items.value.length < 2) return null;
  const pack = async (what: "saving" | "joining", make: () => Promise<void>): Promise<void> => {
    setZip(what);
    try {
      await make();
      setZip("idle");
    } catch (error) {
      setZip({ error: messageOf(error) });
    }
  };
  return (
    <>
      <div class="toolbar">
        <WholeProgress />
        <Counts />
        {settled.length > 0 && (
          <button type="button" class="button" onClick={() => settled.forEach(dismiss)}>
            {t("do.clearFinished")}
          </button>
        )}
        {finished.length > 1 && (
          <button
            type="button"
            class="button"
            disabled={isPacking}
            onClick={() => void pack("saving", () => saveAsZip(finished, resultName))}
          >
            <Icon name="down" />
            {t(zip === "saving" ? "do.packing" : "do.downloadZip")}
          </button>
        )}
        {joinable.length > 1 && (
          <button type="button" class="button" disabled={isPacking} onClick={() => void pack("joining", () => joinIntoOne(joinable))}>
            {zip === "joining" ? t("do.packing") : t("do.join", { count: joinable.length })}
          </button>
        )}
        {ready.length > 1 && (
          <button type="button" class="button button-primary" disabled={zip === "joining"} onClick={() => convert(...ready)}>
            {t("do.convertAll", { count: ready.length })}
          </button>
        )}
      </div>
      <HoldNotice />
      {typeof zip === "object" && <Notice tone="bad">{zip.error}</Notice>}
    </>
  );
}

function Counts() {
  const counts = [
    t("count.files", { n: items.value.length }),
    busy.value.length > 0 ? t("count.inProgress", { n: busy.value.length }) : "",
    done.value.length > 0 ? t("count.done", { n: done.value.length }) : "",
  ];
  return (
    <p class="quiet" role="status">
      {counts.filter(Boolean).join(" · ")}
    </p>
  );
}

function isReady(item: Item): boolean {
  const route = routesFrom(item.from ?? "")?.find(({ to }) => to === item.to);
  return route !== undefined && item.file !== undefined && problemOf(item, route) === undefined;
}
