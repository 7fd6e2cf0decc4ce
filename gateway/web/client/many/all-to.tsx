import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { formatOf, routesFrom } from "#client/convert/catalogue.ts";
import { FormatPicker } from "#client/convert/format-picker.tsx";
import { changeEach, choosing } from "#client/convert/items.ts";
import { rememberTarget } from "#client/convert/memory.ts";
import { firstChoices } from "#client/convert/presets.ts";
import { Icon } from "#client/parts/icons.tsx";
import { listText, t, textOf } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { commonTargets, everydayTargets, type Known, type Rest, type Scope, scopesOf, shareOut } from "./one-target.ts";

const known: Known = { routesFrom, formatOf };
const SHOWN = 5;
const NAMED = 3;

/** Files that the last choice for many files left out. */
const outcome = signal<{ readonly to: string; readonly rest: readonly Rest[] } | undefined>(undefined);

/** Choice of one target for all waiting files, or for those of one kind. */
export function AllTo() {
  const [kind, setKind] = useState<string | undefined>();
  const [isPicking, setPicking] = useState(false);
  const waiting = choosing.value.filter(({ file }) => file !== undefined);
  if (waiting.length < 2) return null;
  const scopes = scopesOf(waiting, known);
  const scope = scopes.find((each) => each.kind === kind) ?? scopes[0];
  const counts = commonTargets(scope?.items ?? [], known);
  if (scope === undefined || counts.size === 0) return null;
  const shown = everydayTargets(scope.items, known).slice(0, SHOWN);
  const chosen = shown.find((to) => scope.items.every((item) => item.to === to || (item.to === undefined && outcome.value?.to === to)));
  const groups = [...Map.groupBy(counts.keys(), (to) => formatOf(to)?.kind ?? "other")].map(([label, ids]) => ({
    label,
    rows: ids.map((id) => ({ id, format: formatOf(id) })),
  }));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row in all browsers
    <div role="group" aria-label={t("aria.together")} class="all-to">
      <span class="all-to-label">{t("label.allTo")}</span>
      {scopes.length > 1 && <ScopeSelect scopes={scopes} kind={scope.kind} onChoose={setKind} />}
      {shown.map((to) => (
        <button
          key={to}
          type="button"
          class="chip-button"
          aria-pressed={to === chosen}
          title={formatOf(to)?.label}
          onClick={() => giveAll(scope, to)}
        >
          {to.toUpperCase()}
        </button>
      ))}
      {counts.size > shown.length && (
        <button type="button" class="chip-button" onClick={() => setPicking(true)}>
          {t("do.moreFormats")}
          <Icon name="chevron" />
        </button>
      )}
      {isPicking && (
        <FormatPicker
          title={t("label.allTo")}
          groups={groups}
          chosen={chosen}
          onChoose={(to) => giveAll(scope, to)}
          onClose={() => setPicking(false)}
        />
      )}
      <Outcome />
    </div>
  );
}

type ScopeProps = { scopes: readonly Scope[]; kind: string | undefined; onChoose(kind: string | undefined): void };

function ScopeSelect({ scopes, kind, onChoose }: ScopeProps) {
  return (
    <select
      aria-label={t("aria.whichFiles")}
      value={kind ?? ""}
      onChange={({ currentTarget }) => onChoose(currentTarget.value || undefined)}
    >
      {scopes.map((each) => (
        <option key={each.kind} value={each.kind ?? ""}>
          {scopeText(each)}
        </option>
      ))}
    </select>
  );
}

function scopeText({ kind, items }: Scope): string {
  const n = items.length;
  return kind === undefined ? t("label.allFiles", { n }) : t("label.ofKind", { kind: textOf(`kind.${kind}`) ?? kind, n });
}

/** Files that cannot become this format lose their target, so that nothing unwanted is converted. */
function giveAll({ items }: Scope, to: string): void {
  const { ids, rest } = shareOut(items, to, known);
  for (const from of new Set(items.flatMap((item) => (ids.has(item.id) ? (item.from ?? []) : [])))) rememberTarget(from, to);
  changeEach(new Set(items.map(({ id }) => id)), ({ id, from, options, to: before }) => {
    if (!ids.has(id)) return { to: undefined, options: {} };
    const route = routesFrom(from ?? "")?.find((each) => each.to === to);
    return { to, options: before === to ? options : firstChoices(route) };
  });
  outcome.value = { to, rest };
}

function Outcome() {
  const told = outcome.value;
  if (told === undefined || told.rest.length === 0) return null;
  const format = told.to.toUpperCase();
  const n = choosing.value.filter(({ to }) => to === told.to).length;
  return (
    <Notice tone="plain">
      {n > 0 && <p>{t("text.becomes", { n, format })}</p>}
      <ul class="left-out">
        {told.rest.map((rest) => (
          <li key={`${rest.reason} ${rest.from}`}>
            {reasonText(rest, format)} {namesText(rest.names)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function reasonText({ reason, from, names }: Rest, to: string): string {
  if (reason === "already") return t("text.leftOutAlready", { n: names.length, format: to });
  if (reason === "unknown") return t("text.leftOutUnknown");
  return t("text.leftOutNoRoute", { from: from?.toUpperCase() ?? "", to });
}

/** For example "a.pdf, b.pdf, c.pdf and 4 more". */
export function namesText(names: readonly string[]): string {
  const more = names.length - NAMED;
  return listText(more > 1 ? [...names.slice(0, NAMED), t("text.andMore", { n: more })] : names);
}
