/** The converter page: files in, files out. */

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadFormats } from "#client/convert/catalogue.ts";
import { DropZone } from "#client/convert/drop-zone.tsx";
import { ItemCard } from "#client/convert/item-card.tsx";
import { busy, items, news } from "#client/convert/items.ts";
import { resume } from "#client/convert/run.ts";
import { Toolbar } from "#client/convert/toolbar.tsx";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { messageOf } from "#client/server/api.ts";
import { me, renewMe, renewMeOnReturn } from "#client/server/session.ts";

type State = "loading" | "ready" | { failed: string };

function Converter() {
  const [state, setState] = useState<State>("loading");
  const load = (): void => {
    setState("loading");
    Promise.all([loadFormats(), renewMe()])
      .then(() => resume())
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
  if (state === "loading") return <div class="drop drop-waiting" role="status" aria-label={t("aria.loading")} />;
  if (me.value?.account === null && me.value.guest === null) return <ForMembers />;
  return (
    <>
      <p class="sr-only" role="status">
        {news.value}
      </p>
      <DropZone />
      <Toolbar />
      <ul class="items" aria-label={t("aria.files")}>
        {items.value.map((item) => (
          <ItemCard key={item.id} item={item} />
        ))}
      </ul>
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
  // What is on its way cannot be taken up again; what has arrived goes on without the page.
  const isSending = busy.value.some(({ phase, jobId }) => phase.name === "uploading" || (phase.name === "waiting" && jobId === undefined));
  if (isSending) event.preventDefault();
});

renewMeOnReturn();
const app = document.getElementById("app");
if (app !== null) {
  app.replaceChildren();
  render(<Converter />, app);
}
