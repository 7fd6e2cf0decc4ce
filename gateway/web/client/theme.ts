/** Runs before the first paint: applies the chosen theme, if there is one, and sets up the button that changes it. */
const stored = "filemill.theme";
const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

root.classList.add("scripted");
const chosen = kept();
if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

/** Browsers that block storage throw at its mere mention. The theme then lasts for one page. */
function kept(): string | null {
  try {
    return localStorage.getItem(stored);
  } catch {
    return null;
  }
}

function keep(theme: string | undefined): void {
  try {
    if (theme === undefined) localStorage.removeItem(stored);
    else localStorage.setItem(stored, theme);
  } catch {
    // See above.
  }
}

const isDark = (): boolean => (root.dataset.theme === undefined ? dark.matches : root.dataset.theme === "dark");

/** The browser's toolbar follows the page's theme, not the system's. */
function colourBar(): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
    meta.content = isDark() ? "#161412" : "#faf8f4";
}

function show(button: HTMLElement): void {
  button.setAttribute("aria-pressed", String(isDark()));
  colourBar();
}

function turn(): void {
  const wanted = isDark() ? "light" : "dark";
  // If the choice equals the system's theme, the page follows the system again.
  if ((wanted === "dark") === dark.matches) {
    delete root.dataset.theme;
    keep(undefined);
    return;
  }
  root.dataset.theme = wanted;
  keep(wanted);
}

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  if (button === null) return;
  show(button);
  dark.addEventListener("change", () => show(button));
  button.addEventListener("click", () => {
    turn();
    show(button);
  });
});
