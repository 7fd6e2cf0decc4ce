import { useEffect } from "preact/hooks";
import { expectedOf, loadExpected } from "#client/convert/expected.tsx";
import { items } from "#client/convert/items.ts";
import { again, convert } from "#client/convert/run.ts";
import { Icon } from "#client/parts/icons.tsx";
import { refusalText, t } from "#client/parts/language.tsx";
import { Note } from "#client/parts/note.tsx";
import { namesText } from "./all-to.tsx";
import { expectationsOf, failuresOf, notesOf, type Said } from "./groups.ts";

/** Expected notes, notes and errors of many files, each shown once. */
export function SaidOnce() {
  const wanted = [...new Set(items.value.flatMap(({ phase, from, to }) => (phase.name === "choosing" && to ? `${from} ${to}` : [])))];
  useEffect(() => {
    for (const [from = "", to = ""] of wanted.map((pair) => pair.split(" "))) void loadExpected({ from, to });
  }, [wanted.join()]);
  const expected = expectationsOf(items.value, (from, to) => expectedOf({ from, to }) ?? []);
  const notes = notesOf(items.value);
  const failures = failuresOf(items.value);
  return (
    <>
      {failures.map((said) => (
        <Failure key={said.code + said.message} said={said} />
      ))}
      <Remarks title={t("text.mayHappen")} about={expected} />
      <Remarks title={t("text.notesOnce", { n: notes.length })} about={notes} />
    </>
  );
}

function Remarks({ title, about }: { title: string; about: readonly Said[] }) {
  if (about.length === 0) return null;
  return (
    <details class="said-once">
      <summary>{title}</summary>
      <ul class="notes">
        {about.map((said) => (
          <li key={said.code + said.message}>
            <Icon name="info" />
            <span>
              <Note note={said} /> <span class="quiet">{whose(said)}</span>
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Failure({ said }: { said: Said }) {
  const possible = said.items.filter(({ file, to }) => file !== undefined && to !== undefined);
  const retry = (): void => {
    again(...possible);
    convert(...possible);
  };
  return (
    <div class="item-failure" role="alert">
      <div class="failure-text">
        <Icon name="warn" />
        <div>
          <p>{refusalText(said)}</p>
          <p class="quiet">{whose(said)}</p>
        </div>
      </div>
      {possible.length > 0 && said.code !== "PASSWORD_REQUIRED" && (
        <button type="button" class="button" onClick={retry}>
          <Icon name="again" />
          {t("do.retryFailed", { n: possible.length })}
        </button>
      )}
    </div>
  );
}

function whose({ items: about }: Said): string {
  return about.length === items.value.length ? "" : namesText(about.map(({ name }) => name));
}
