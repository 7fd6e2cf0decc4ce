import { useState } from "preact/hooks";
import { FidelityMark, fidelityText } from "#client/parts/fidelity.tsx";
import { Field } from "#client/parts/form.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { sizeText } from "#client/parts/words.ts";
import { me, planOf } from "#client/server/session.ts";
import type { Route } from "#client/server/wire.ts";
import { formatOf, formats, routesFrom } from "./catalogue.ts";
import { Expected } from "./expected.tsx";
import { FormatPicker, type PickerGroup } from "./format-picker.tsx";
import { change, choosing, type Item, spread } from "./items.ts";
import { OptionForm } from "./option-form.tsx";
import { isOwn, ownHintOf, ownTitleOf } from "./own-format.ts";
import { groupedByKind, popularOf } from "./popular.ts";
import { choose, convert, offer } from "./run.ts";

/** What a file shall become, and how. */
export function Choice({ item }: { item: Item }) {
  const [picking, setPicking] = useState<"target" | "source" | undefined>();
  const routes = item.from === undefined ? undefined : routesFrom(item.from);
  const route = routes?.find(({ to }) => to === item.to);
  const problem = problemOf(item, route);
  return (
    <div class="choice">
      {item.from === undefined || formatOf(item.from)?.targets === 0 ? (
        <UnknownSource item={item} onPick={() => setPicking("source")} />
      ) : routes === undefined ? (
        <p class="quiet">Looking up target formats…</p>
      ) : (
        <Targets item={item} routes={routes} onMore={() => setPicking("target")} />
      )}
      {route !== undefined && <RouteText route={route} />}
      {route !== undefined && <Expected route={route} />}
      {problem !== undefined && (
        <p class="choice-problem" role="alert">
          <Icon name="warn" />
          <span>{problem}</span>
        </p>
      )}
      {route !== undefined && route.options.length > 0 && (
        <details class="choice-options" key={route.to} open={isOwn(route)}>
          <summary>
            Options{Object.keys(item.options).length > 0 && <span class="badge">{Object.keys(item.options).length} changed</span>}
          </summary>
          <OptionForm options={route.options} chosen={item.options} onChange={(options) => change(item.id, { options })} />
          {item.options.protect === true && (
            <Field
              label="Password to protect the result with"
              name="output-password"
              type="password"
              maxLength={127}
              value={item.outputPassword ?? ""}
              onText={(outputPassword) => change(item.id, { outputPassword })}
            />
          )}
        </details>
      )}
      {route !== undefined && <Actions item={item} isReady={problem === undefined} />}
      {picking === "target" && routes !== undefined && (
        <FormatPicker
          title={`Convert ${item.from} to`}
          groups={targetGroups(routes, item.from ?? "")}
          chosen={item.to}
          onChoose={(to) => choose(item.id, to)}
          onClose={() => setPicking(undefined)}
        />
      )}
      {picking === "source" && <SourcePicker item={item} onClose={() => setPicking(undefined)} />}
    </div>
  );
}

function Targets({ item, routes, onMore }: { item: Item; routes: readonly Route[]; onMore(): void }) {
  const kind = formatOf(item.from)?.kind ?? "";
  const own = routes.filter(isOwn);
  const first = [...popularOf(routes, kind), ...own];
  const shown =
    item.to === undefined || first.some(({ to }) => to === item.to) ? first : [...first, ...routes.filter(({ to }) => to === item.to)];
  return (
    <fieldset class="targets">
      <legend>Convert to</legend>
      {shown.map((route) => (
        <label key={route.to} class="chip" title={isOwn(route) ? ownTitleOf(route) : formatOf(route.to)?.label}>
          <input
            type="radio"
            name={`target-${item.id}`}
            value={route.to}
            checked={route.to === item.to}
            onChange={() => choose(item.id, route.to)}
          />
          <span>{isOwn(route) ? `${route.to.toUpperCase()}, changed` : route.to.toUpperCase()}</span>
        </label>
      ))}
      {routes.length > shown.length && (
        <button type="button" class="chip-button" onClick={onMore}>
          All {routes.length} formats
          <Icon name="chevron" />
        </button>
      )}
    </fieldset>
  );
}

function RouteText({ route }: { route: Route }) {
  return (
    <p class="route">
      <FidelityMark value={route.fidelity} />{" "}
      <span class="quiet">
        {isOwn(route) && `${ownHintOf(route)} `}
        {fidelityText(route.fidelity)}
        {route.async && " Takes a while and is queued."}
      </span>
    </p>
  );
}

function Actions({ item, isReady }: { item: Item; isReady: boolean }) {
  const alike = choosing.value.filter(({ from, id }) => from === item.from && id !== item.id).length;
  return (
    <div class="item-foot">
      {alike > 0 ? (
        <button type="button" class="link-button" onClick={() => spread(item)}>
          Same for all {item.from} files
        </button>
      ) : (
        <span />
      )}
      <button type="button" class="button button-primary" disabled={!isReady} onClick={() => convert(item)}>
        {item.to !== undefined && item.to === item.from ? "Change this" : "Convert to"} {item.to?.toUpperCase()}
      </button>
    </div>
  );
}

function UnknownSource({ item, onPick }: { item: Item; onPick(): void }) {
  const known = formatOf(item.from);
  return (
    <div class="item-foot">
      <p class="quiet">
        {known === undefined ? "Its name does not say what format it is." : `${known.label} can be written here, but not read.`}
      </p>
      <button type="button" class="button" onClick={onPick}>
        Say what it is
      </button>
    </div>
  );
}

function SourcePicker({ item, onClose }: { item: Item; onClose(): void }) {
  const readable = (formats.value ?? []).filter(({ targets }) => targets > 0);
  const groups = [...Map.groupBy(readable, ({ kind }) => kind)].map(([label, rows]) => ({
    label,
    rows: rows.map((format) => ({ id: format.id, format })),
  }));
  const pick = (from: string): void => {
    change(item.id, { from, fromChosen: true, to: undefined, options: {} });
    void offer(item.id, from);
  };
  return <FormatPicker title="What is this file?" groups={groups} chosen={item.from} onChoose={pick} onClose={onClose} />;
}

function targetGroups(routes: readonly Route[], from: string): readonly PickerGroup[] {
  const kind = formatOf(from)?.kind ?? "";
  const rowOf = (route: Route) => ({
    ...{ id: route.to, format: formatOf(route.to), fidelity: route.fidelity },
    ...(isOwn(route) && { words: ownTitleOf(route) }),
  });
  const popular = popularOf(routes, kind);
  const own = routes.filter(isOwn);
  const others = routes.filter((route) => !popular.includes(route) && !own.includes(route));
  return [
    ...(own.length > 0 ? [{ label: "the same format, changed", rows: own.map(rowOf) }] : []),
    ...(popular.length > 0 ? [{ label: "popular", rows: popular.map(rowOf) }] : []),
    ...groupedByKind(others, kind, formatOf).map(([label, members]) => ({ label, rows: members.map(rowOf) })),
  ];
}

/** What would be refused, told before a byte is sent. */
export function problemOf(item: Item, route: Route | undefined): string | undefined {
  if (item.sizeBytes === 0) return "The file is empty.";
  const plan = planOf(me.value);
  if (plan !== undefined && item.sizeBytes > plan.maxInputMb * 1e6) {
    const more = me.value?.account === null ? " Sign in for more, or choose a smaller file." : "";
    return `The file is over the ${sizeText(plan.maxInputMb * 1e6)} of your plan.${more}`;
  }
  if (item.options.protect === true && (item.outputPassword ?? "") === "") return "Choose a password to protect the result with.";
  if (route !== undefined && item.sizeBytes > route.maxInputMb * 1e6)
    return `This conversion takes files up to ${sizeText(route.maxInputMb * 1e6)}.`;
  return undefined;
}
