/** The converter page. */

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadFormats } from "#client/convert/catalogue.ts";
import { DropZone } from "#client/convert/drop-zone.tsx";
import { items, news } from "#client/convert/items.ts";
import { OfferedPreset } from "#client/convert/preset-choice.tsx";
import { loadPresets } from "#client/convert/presets.ts";
import { resume } from "#client/convert/run.ts";
import { Toolbar } from "#client/convert/toolbar.tsx";
import { FileList } from "#client/many/file-list.tsx";
import { keepChanges, keptItems, wouldBeLost } from "#client/many/keeping.ts";
import { Together } from "#client/many/together.tsx";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { showWho } from "#client/parts/who.tsx";
import { messageOf } from "#client/server/api.ts";
import { me, renewMe, renewMeOnReturn } from "#client/server/session.ts";

type State = "loading" | "ready" | { failed: string };

function Converter() {
  const [state, setState] = useState<State>("loading");
  const load = (): void => {
    setState("loading");
    Promise.all([loadFormats(), renewMe().then(loadPresets)])
      .then(async () => resume(await keptItems()))
      .then(keepChanges)
      .then(() => setState("ready"))
      .catch((error: unknown) => setState({ failed: messageOf(error) }));
  };
  useEffect(load, []);
  if (typeof state === "object") {
    return (
      <Notice tone="bad">
        <p>{state.failed}</p>
        <button type="button" class="button" onClick={load}>
          {t("do.tryAgain")}
        </button>
      </Notice>
    );
  }
  if (state === "loading") return <div class="drop drop-waiting" role="status" aria-label={t("text.loading")} />;
  if (me.value?.account === null && me.value.guest === null) return <ForMembers />;
  return (
    <>
      <p class="sr-only" role="status">
        {news.value}
      </p>
      <OfferedPreset />
      <DropZone />
      <Together />
      <Toolbar />
      <FileList />
    </>
  );
}

function ForMembers() {
  return (
    <section class="panel" aria-labelledby="members">
      <h2 id="members">{t("title.signInToConvert")}</h2>
      <p>{t("text.membersOnly")}</p>
      <p class="actions">
        <a class="button button-primary" href="/automate">
          {t("do.signIn")}
        </a>
      </p>
    </section>
  );
}

addEventListener("beforeunload", (event) => {
  // Warns about uploads in one piece, which cannot be resumed, and about files that could not be kept. Resumable uploads and running jobs
  // continue without the page.
  const isSending = items.value.some(({ phase, upload }) => phase.name === "uploading" && upload === undefined);
  if (isSending || items.value.some((item) => item.jobId === undefined && wouldBeLost(item))) event.preventDefault();
});

// Browsers have no service workers over plain HTTP. The page works without one.
if ("serviceWorker" in navigator) void navigator.serviceWorker.register("/worker.js").catch(() => {});
renewMeOnReturn();
showWho();
const app = document.getElementById("app");
if (app !== null) {
  app.replaceChildren();
  render(<Converter />, app);
}
