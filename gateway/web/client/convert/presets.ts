/** Presets of the converter page: stored in the account of a signed-in reader, otherwise in this browser. */
import { signal } from "@preact/signals";
import { call } from "#client/server/api.ts";
import { me } from "#client/server/session.ts";
import type { Option, Route } from "#client/server/wire.ts";
import { isPresetName, isPresets, type OptionTexts, type Presets } from "#gateway/preset.ts";
import type { Choices } from "./items.ts";
import { keep, kept } from "./memory.ts";
import { takes } from "./tasks.ts";

export type PresetShelf = {
  readonly presets: Presets;
  /** The default preset of each conversion, by pair such as `png webp`. */
  readonly defaults: Readonly<Record<string, string>>;
};

const shelfKey = "filemill.presets";
const empty: PresetShelf = { presets: {}, defaults: {} };

export const shelf = signal<PresetShelf>(empty);

const isOfAccount = (): boolean => me.value?.account != null;

export async function loadPresets(): Promise<void> {
  const found = isOfAccount() ? await call<PresetShelf>("/presets") : kept(shelfKey);
  shelf.value = isShelf(found) ? found : empty;
}

export async function keepPreset(name: string, options: OptionTexts, defaultOf?: string): Promise<void> {
  const { presets, defaults } = shelf.value;
  const others = Object.entries(defaults).filter(([pair, preset]) => pair !== defaultOf || preset !== name);
  await write({
    presets: { ...presets, [name]: options },
    defaults: { ...Object.fromEntries(others), ...(defaultOf === undefined ? {} : { [defaultOf]: name }) },
  });
}

export async function removePreset(name: string): Promise<void> {
  const isOther = ([key]: readonly [string, unknown]): boolean => key !== name;
  await write({
    presets: Object.fromEntries(Object.entries(shelf.value.presets).filter(isOther)),
    defaults: Object.fromEntries(Object.entries(shelf.value.defaults).filter(([, preset]) => preset !== name)),
  });
}

async function write(next: PresetShelf): Promise<void> {
  if (isOfAccount()) await call("/presets", { method: "POST", body: next });
  else keep(shelfKey, next);
  shelf.value = next;
}

/** The presets that a conversion supports, by name. */
export function fittingPresets(route: Route): readonly (readonly [name: string, choices: Choices])[] {
  return Object.entries(shelf.value.presets)
    .flatMap(([name, options]) => {
      const choices = choicesOf(route, options);
      return choices === undefined ? [] : [[name, choices] as const];
    })
    .toSorted(([a], [b]) => a.localeCompare(b));
}

/** The initial options of a conversion. */
export function firstChoices(route: Route | undefined): Choices {
  const name = route === undefined ? undefined : shelf.value.defaults[pairOf(route)];
  const options = name === undefined ? undefined : shelf.value.presets[name];
  return (route !== undefined && options !== undefined && choicesOf(route, options)) || {};
}

export function pairOf({ from, to }: Pick<Route, "from" | "to">): string {
  return `${from} ${to}`;
}

/** Undefined if the conversion lacks one of the options or does not accept its value. */
function choicesOf(route: Route, options: OptionTexts): Choices | undefined {
  const choices = Object.fromEntries(
    Object.entries(options).map(([name, text]) => {
      const option = route.options.find((each) => each.name === name);
      return [name, option === undefined ? text : valueIn(option, text)];
    }),
  );
  return takes(route, choices) ? choices : undefined;
}

function valueIn({ type }: Option, text: string): string | number | boolean {
  if (type === "integer" || type === "number") return Number(text);
  if (type === "boolean") return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text;
  return text;
}

export function textsOf(choices: Choices): OptionTexts {
  return Object.fromEntries(Object.entries(choices).map(([name, value]) => [name, String(value)]));
}

/** A link that offers the preset to whoever opens it. It is in the fragment, which never reaches the server. */
export function linkOf(name: string, options: OptionTexts): string {
  return `${location.origin}/#${new URLSearchParams({ preset: name, ...options })}`;
}

/** The preset that the page's URL offers. Removes it from the URL. */
export function offeredPreset(): { readonly name: string; readonly options: OptionTexts } | undefined {
  const { preset: name, ...options } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (name === undefined || !isPresetName(name) || Object.keys(options).length === 0) return undefined;
  history.replaceState(history.state, "", location.pathname + location.search);
  return { name, options };
}

function isShelf(found: unknown): found is PresetShelf {
  if (typeof found !== "object" || found === null || !("presets" in found) || !("defaults" in found)) return false;
  return isPresets(found.presets) && isPresets({ defaults: found.defaults });
}
