import { useState } from "preact/hooks";
import { Icon } from "#client/parts/icons.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { plural } from "#client/parts/words.ts";
import { messageOf } from "#client/server/api.ts";
import { routesFrom } from "./catalogue.ts";
import { HoldNotice } from "./hold.tsx";
import { problemOf } from "./item-choice.tsx";
import { resultName } from "./item-result.tsx";
import { busy, choosing, done, type Item, items } from "./items.ts";
import { canBeJoined, joinIntoOne } from "./join.ts";
import { convert, dismiss } from "./run.ts";
import { saveAsZip } from "./zip.ts";

/** What can be done with all files of the list at once. */
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
        <p class="quiet" role="status">
          {[
            plural(items.value.length, "file"),
            busy.value.length > 0 ? `${busy.value.length} in progress` : "",
            finished.length > 0 ? `${finished.length} done` : "",
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
        {settled.length > 0 && (
          <button type="button" class="button" onClick={() => settled.forEach(dismiss)}>
            Clear finished
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
            {zip === "saving" ? "Packing…" : "Download all as ZIP"}
          </button>
        )}
        {joinable.length > 1 && (
          <button type="button" class="button" disabled={isPacking} onClick={() => void pack("joining", () => joinIntoOne(joinable))}>
            {zip === "joining" ? "Packing…" : `Join ${joinable.length} into one`}
          </button>
        )}
        {ready.length > 1 && (
          <button type="button" class="button button-primary" disabled={zip === "joining"} onClick={() => convert(...ready)}>
            Convert all {ready.length}
          </button>
        )}
      </div>
      <HoldNotice />
      {typeof zip === "object" && <Notice tone="bad">{zip.error}</Notice>}
    </>
  );
}

function isReady(item: Item): boolean {
  const route = routesFrom(item.from ?? "")?.find(({ to }) => to === item.to);
  return route !== undefined && item.file !== undefined && problemOf(item, route) === undefined;
}
