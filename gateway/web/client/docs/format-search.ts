import { call } from "#client/server/api.ts";
import type { Route, RouteDetail } from "#client/server/wire.ts";
import { routeList, routeText } from "./route-list.ts";

type Row = { readonly element: HTMLElement; readonly id: string; readonly words: string };

/** Filters the list of formats, shows the conversion between two formats, and opens a format's conversions. */
export function formatSearch(form: HTMLFormElement): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-format]")].map(
    (element): Row => ({ element, id: element.dataset.format ?? "", words: element.dataset.words ?? "" }),
  );
  const sections = [...document.querySelectorAll<HTMLElement>("section.kind")];
  const input = form.querySelector("input");
  if (input === null) return;
  const filter = (): void => {
    const words = wordsOf(input.value);
    for (const { element, words: own } of rows) element.hidden = !words.some((word) => own.includes(word)) && words.length > 0;
    for (const section of sections) section.hidden = section.querySelector("[data-format]:not([hidden])") === null;
    const shown = rows.filter(({ element }) => !element.hidden).length;
    const count = document.getElementById("format-count");
    if (count !== null) count.textContent = words.length === 0 ? "" : shown === 1 ? "1 format" : `${shown} formats`;
    void showPair(words, rows);
  };
  input.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const row of rows) makeOpenable(row);
  const asked = new URLSearchParams(location.search).get("q");
  if (asked !== null) {
    input.value = asked;
    filter();
  }
}

function wordsOf(query: string): string[] {
  return query
    .toLowerCase()
    .split(/[\s,>→]+/)
    .map((word) => word.replace(/^\./, ""))
    .filter((word) => word !== "" && !["to", "in", "into", "as"].includes(word));
}

let pairAsked = 0;

/** If the query is two formats, shows the conversion between them. */
async function showPair(words: readonly string[], rows: readonly Row[]): Promise<void> {
  const place = document.getElementById("format-pair");
  const [from, to] = words.map(
    (word) => (rows.find(({ id }) => id === word) ?? rows.find((row) => row.words.split(" ").includes(word)))?.id,
  );
  pairAsked += 1;
  const mine = pairAsked;
  if (place === null) return;
  if (words.length !== 2 || from === undefined || to === undefined) {
    place.replaceChildren();
    return;
  }
  const route = (await routesFrom(from)).find((each) => each.to === to);
  if (mine === pairAsked) place.replaceChildren(routeText(from, to, route, undefined));
  if (route === undefined) return;
  // The details need a session if guests are not allowed.
  const answer = await call<{ route: RouteDetail }>(`/routes/${from}/${to}`).catch(() => undefined);
  if (mine === pairAsked && answer !== undefined) place.replaceChildren(routeText(from, to, route, answer.route));
}

const known = new Map<string, Promise<readonly Route[]>>();

function routesFrom(from: string): Promise<readonly Route[]> {
  const asked =
    known.get(from) ??
    call<{ conversions: Route[] }>(`/catalogue/${from}`).then(
      ({ conversions }) => conversions,
      () => [],
    );
  known.set(from, asked);
  return asked;
}

/** Makes a row a button that shows the conversions from its format. */
function makeOpenable({ element, id }: Row): void {
  const row = element.querySelector(".format-row");
  if (row === null || row.textContent?.includes("written only") === true) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = row.className;
  button.setAttribute("aria-expanded", "false");
  button.append(...row.childNodes);
  row.replaceWith(button);
  button.addEventListener("click", async () => {
    const open = element.querySelector(".format-routes");
    button.setAttribute("aria-expanded", String(open === null));
    if (open === null) element.append(routeList(id, await routesFrom(id)));
    else open.remove();
  });
}
