import { signal } from "@preact/signals";
import { call } from "#client/server/api.ts";
import type { Format, Route } from "#client/server/wire.ts";

/** The formats that the server converts; undefined until they are loaded. */
export const formats = signal<readonly Format[] | undefined>(undefined);
const routes = signal<ReadonlyMap<string, readonly Route[]>>(new Map());
const asked = new Map<string, Promise<void>>();

export async function loadFormats(): Promise<void> {
  formats.value = (await call<{ formats: Format[] }>("/catalogue")).formats;
}

/** The conversions from a format; undefined while they are loading. */
export function routesFrom(from: string): readonly Route[] | undefined {
  return routes.value.get(from);
}

/** Resolves when `routesFrom` has the conversions. Loads them once, and retries after a failure. */
export function loadRoutes(from: string): Promise<void> {
  const loading = asked.get(from) ?? fetchRoutes(from);
  asked.set(from, loading);
  return loading;
}

async function fetchRoutes(from: string): Promise<void> {
  try {
    const { conversions } = await call<{ conversions: Route[] }>(`/catalogue/${encodeURIComponent(from)}`);
    routes.value = new Map(routes.value).set(from, conversions);
  } catch (error) {
    asked.delete(from);
    throw error;
  }
}

export function formatOf(id: string | undefined): Format | undefined {
  return formats.value?.find((format) => format.id === id);
}

/** Detects a file's format by its name, longest extension first, otherwise by the browser's media type. */
export function formatOfFile(name: string, type: string): Format | undefined {
  const parts = name.toLowerCase().split(".");
  for (let start = 1; start < parts.length; start++) {
    const extension = parts.slice(start).join(".");
    const found = byExtension(extension);
    if (found !== undefined) return found;
  }
  const media = type.split(";")[0];
  return media === "" || media === "application/octet-stream"
    ? undefined
    : formats.value?.find(({ mime, targets }) => mime === media && targets > 0);
}

/** Prefers formats with this id, then those with this main extension. Readable formats come before others. */
function byExtension(extension: string): Format | undefined {
  const having = (formats.value ?? []).filter(({ id, extensions }) => id === extension || extensions.includes(extension));
  const rank = ({ id, extensions, targets }: Format): number =>
    (targets > 0 ? 0 : 4) + (id === extension ? 0 : extensions[0] === extension ? 1 : 2);
  return having.toSorted((a, b) => rank(a) - rank(b))[0];
}
