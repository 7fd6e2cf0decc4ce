/** The documentation pages: copy buttons for the examples, language tabs, and the search for formats and conversions. */
import { formatSearch } from "#client/docs/format-search.ts";
import { sampleTabs } from "#client/docs/sample-tabs.ts";
import { showWho } from "#client/parts/who.tsx";
import { renewMe, renewMeOnReturn } from "#client/server/session.ts";

sampleTabs(document.querySelectorAll<HTMLElement>(".samples"));
for (const block of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button-small copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.textContent ?? "");
      button.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(block);
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2500);
  });
  const frame = document.createElement("div");
  frame.className = "code";
  block.replaceWith(frame);
  frame.append(block, button);
}

const search = document.getElementById("format-search");
if (search instanceof HTMLFormElement) formatSearch(search);

showWho();
renewMeOnReturn();
// If this fails, the page is shown as for a visitor who is not signed in.
renewMe().catch(() => {});
