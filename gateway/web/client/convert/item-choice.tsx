import { useState } from "preact/hooks";
import { FidelityMark, fidelityText } from "#client/parts/fidelity.tsx";
import { Field } from "#client/parts/form.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { t } from "#client/parts/language.tsx";
import { sizeText } from "#client/parts/words.ts";
import { me, planOf } from "#client/server/session.ts";
import type { Route } from "#client/server/wire.ts";
import { formatOf, formats, routesFrom } from "./catalogue.ts";
import { Expected } from "./expected.tsx";
import { FormatPicker } from "./format-picker.tsx";
import { change, choosing, type Item, spread } from "./items.ts";
import { kindText } from "./kind-tabs.tsx";
import { OptionForm } from "./option-form.tsx";
import { isOwn, ownHintOf, ownTitleOf } from "./own-format.ts";
import { popularOf } from "./popular.ts";
import { PresetChoice } from "./preset-choice.tsx";
import { choose, convert, offer } from "./run.ts";
import { TargetPicker } from "./target-picker.tsx";

/** Choice of a file's target format and options. */
export function Choice({ item }: { item: Item }) {
  const [picking, setPicking] = useState<"target" | "source" | undefined>();
  const routes = item.from === undefined ? undefined : routesFrom(item.from);
  const route = routes?.find(({ to }) => to === item.to);
  const problem = problemOf(item, route);
  const changed = Object.keys(item.options).length;
  // An empty file cannot be converted, whatever its name.
  if (item.file?.size === 0) return <Problem text={problem ?? ""} />;
  return (
    <div class="choice">
      {item.from === undefined || formatOf(item.from)?.targets === 0 ? (
        <UnknownSource item={item} onPick={() => setPicking("source")} />
      ) : routes === undefined ? (
        <p class="quiet">{t("text.lookingUp")}</p>
      ) : (
        <Targets item={item} routes={routes} onMore={() => setPicking("target")} />
      )}
      {route !== undefined && <RouteText route={route} />}
      {route !== undefined && <Expected route={route} />}
      {problem !== undefined && <Problem text={problem} />}
      {route !== undefined && route.options.length > 0 && (
        <details class="choice-options" key={route.to} open={isOwn(route) || changed > 0}>
          <summary>
            {t("label.options")}
            {changed > 0 && <span class="badge">{t("count.changed", { n: changed })}</span>}
          </summary>
          <PresetChoice item={item} route={route} />
          <OptionForm options={route.options} chosen={item.options} onChange={(options) => change(item.id, { options })} />
          {item.options.protect === true && (
            <Field
              label={t("label.resultPassword")}
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
      {picking === "target" && routes !== undefined && <TargetPicker item={item} routes={routes} onClose={() => setPicking(undefined)} />}
      {picking === "source" && <SourcePicker item={item} onClose={() => setPicking(undefined)} />}
    </div>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <p class="choice-problem" role="alert">
      <Icon name="warn" />
      <span>{text}</span>
    </p>
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
      <legend>{t("label.convertTo")}</legend>
      {shown.map((route) => (
        <label key={route.to} class="chip" title={isOwn(route) ? ownTitleOf(route) : formatOf(route.to)?.label}>
          <input
            type="radio"
            name={`target-${item.id}`}
            value={route.to}
            checked={route.to === item.to}
            onChange={() => choose(item.id, route.to)}
          />
          <span>{isOwn(route) ? t("own.chip", { format: route.to.toUpperCase() }) : route.to.toUpperCase()}</span>
        </label>
      ))}
      {routes.length > shown.length && (
        <button type="button" class="chip-button" onClick={onMore}>
          {t("do.allFormats", { count: routes.length })}
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
        {route.async && ` ${t("text.queued")}`}
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
          {t("do.sameForAll", { format: item.from ?? "" })}
        </button>
      ) : (
        <span />
      )}
      <button type="button" class="button button-primary" disabled={!isReady} onClick={() => convert(item)}>
        {t(item.to === item.from ? "do.changeThis" : "do.convertTo", { format: item.to?.toUpperCase() ?? "" })}
      </button>
    </div>
  );
}

function UnknownSource({ item, onPick }: { item: Item; onPick(): void }) {
  const known = formatOf(item.from);
  return (
    <div class="item-foot">
      <p class="quiet">{known === undefined ? t("text.nameSaysNothing") : t("text.writtenOnly", { format: known.label })}</p>
      <button type="button" class="button" onClick={onPick}>
        {t("do.sayFormat")}
      </button>
    </div>
  );
}

function SourcePicker({ item, onClose }: { item: Item; onClose(): void }) {
  const readable = (formats.value ?? []).filter(({ targets }) => targets > 0);
  const groups = [...Map.groupBy(readable, ({ kind }) => kind)].map(([kind, rows]) => ({
    label: kindText(kind),
    rows: rows.map((format) => ({ id: format.id, format })),
  }));
  const pick = (from: string): void => {
    change(item.id, { from, fromChosen: true, to: undefined, options: {} });
    void offer([item.id], from);
  };
  return <FormatPicker title={t("title.whatFile")} groups={groups} chosen={item.from} onChoose={pick} onClose={onClose} />;
}

/** Why the server would refuse the file, found before anything is sent. */
export function problemOf(item: Item, route: Route | undefined): string | undefined {
  if (item.sizeBytes === 0) return t("text.emptyFile");
  const plan = planOf(me.value);
  if (plan !== undefined && item.sizeBytes > plan.maxInputMb * 1e6) {
    return t(me.value?.account === null ? "text.overPlanGuest" : "text.overPlan", { size: sizeText(plan.maxInputMb * 1e6) });
  }
  if (item.options.protect === true && (item.outputPassword ?? "") === "") return t("text.choosePassword");
  if (route !== undefined && item.sizeBytes > route.maxInputMb * 1e6)
    return t("text.overConversion", { size: sizeText(route.maxInputMb * 1e6) });
  return undefined;
}
