/** HTML that is safe to send: every value put into the template is escaped unless it is HTML already. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Insert = string | number | Html | readonly Html[];

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(parts.reduce((whole, part, index) => whole + textOf(inserts[index - 1] ?? "") + part));
}

function textOf(insert: Insert): string {
  if (insert instanceof Html) return insert.text;
  if (typeof insert === "object") return insert.map((item) => item.text).join("");
  return String(insert).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Plain sentences in which `code` stands between backticks. */
export function prose(text: string): Html {
  return new Html(
    text
      .split("`")
      .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`).text)
      .join(""),
  );
}
