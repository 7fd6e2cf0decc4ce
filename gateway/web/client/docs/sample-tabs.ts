/**
 * Tabs that switch the language of all samples on the page. Follows the tabs pattern of the ARIA Authoring Practices Guide and remembers
 * the choice.
 */
import { storedText, storeText } from "#client/parts/storage.ts";

const stored = "filemill.language";

type Tab = { readonly language: string; readonly button: HTMLButtonElement; readonly panel: HTMLElement };

export function sampleTabs(groups: Iterable<HTMLElement>): void {
  const tabs = [...groups].flatMap((group, index) => tabsOf(group, `samples-${index}`));
  const choose = (language: string): void => {
    for (const tab of tabs) {
      const isChosen = tab.language === language;
      tab.button.setAttribute("aria-selected", String(isChosen));
      tab.button.tabIndex = isChosen ? 0 : -1;
      tab.panel.hidden = !isChosen;
    }
  };
  for (const tab of tabs) {
    const take = ({ button, language }: Tab): void => {
      // Keeps the current sample in place although the samples above change their height.
      const before = button.getBoundingClientRect().top;
      choose(language);
      storeText(stored, language);
      scrollBy({ top: button.getBoundingClientRect().top - before, behavior: "instant" });
      button.focus({ preventScroll: true });
    };
    tab.button.addEventListener("click", () => take(tab));
    tab.button.addEventListener("keydown", (event) => {
      const next = neighbourOf(tab, tabs, event.key);
      if (next === undefined) return;
      event.preventDefault();
      take(next);
    });
  }
  const wanted = storedText(stored);
  choose(tabs.find(({ language }) => language === wanted)?.language ?? tabs[0]?.language ?? "");
}

function tabsOf(group: HTMLElement, id: string): Tab[] {
  const list = document.createElement("div");
  list.className = "sample-tabs";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", `${group.dataset.title}: language of the example`);
  group.prepend(list);
  return [...group.querySelectorAll<HTMLElement>(".sample")].map((panel) => {
    const { language = "", label = "" } = panel.dataset;
    const button = document.createElement("button");
    Object.assign(button, { type: "button", id: `${id}-${language}`, textContent: label });
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", `${id}-${language}-panel`);
    Object.assign(panel, { id: `${id}-${language}-panel` });
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", button.id);
    list.append(button);
    return { language, button, panel };
  });
}

function neighbourOf(tab: Tab, tabs: readonly Tab[], key: string): Tab | undefined {
  const row = tabs.filter(({ button }) => button.parentElement === tab.button.parentElement);
  const at = row.indexOf(tab);
  const places: Readonly<Record<string, number>> = { ArrowRight: at + 1, ArrowLeft: at - 1 + row.length, Home: 0, End: row.length - 1 };
  const place = places[key];
  return place === undefined ? undefined : row[place % row.length];
}
