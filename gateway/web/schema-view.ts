import { type Html, html, prose } from "./html.ts";

/** The keywords of JSON Schema that the API uses. */
export type JsonSchema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
};

/** A short description of a value's type, with links to the schemas it uses. */
export function typeOf(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) return referenceOf(schema.$ref.split("/").at(-1) ?? "");
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeOf), " or ");
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return joined(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      " · ",
    );
  if (schema.type === "array") return html`list of ${typeOf(schema.items ?? {})}`;
  const names = [schema.type ?? "anything"].flat().join(" or ");
  return html`${schema.format === undefined ? names : `${names} (${schema.format})`}${boundsOf(schema)}`;
}

function boundsOf({ minimum, maximum, default: preset }: JsonSchema): string {
  const bounds = maximum === undefined ? "" : `, ${minimum ?? 0} to ${maximum}`;
  return preset === undefined ? bounds : `${bounds}, ${String(preset)} by default`;
}

function referenceOf(name: string): Html {
  return name === "ErrorCode" ? html`<a href="/docs/errors">error code</a>` : html`<a href="#schema-${name}">${name}</a>`;
}

function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${between}${part}`))}`;
}

/** The properties of an object, one row each. */
export function propertyRows(schema: JsonSchema): Html {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(
    ([
      name,
      property,
    ]) => html`<div><dt><code>${name}</code> <span class="quiet">${typeOf(property)}${required.has(name) ? "" : ", optional"}</span></dt>${property.description === undefined ? "" : html`<dd>${prose(property.description)}</dd>`}</div>
`,
  );
  return rows.length === 0 ? html`<p>${typeOf(schema)}</p>` : html`<dl class="properties">${rows}</dl>`;
}

/** A named schema with its anchor. */
export function schemaSection(name: string, schema: JsonSchema): Html {
  return html`<article id="schema-${name}" class="schema" aria-labelledby="schema-${name}-title"><h3 id="schema-${name}-title">${name}</h3>
${propertyRows(schema)}</article>
`;
}
