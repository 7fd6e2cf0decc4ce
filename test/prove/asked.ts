type Wanted = { readonly engine: readonly string[]; readonly route: readonly string[] };
type Ends = { readonly from: string; readonly to: string };

/** Whether a run limited to some engines or routes includes this one. */
export function isAsked({ engine, route }: Wanted, { from, to }: Ends, engines: readonly string[]): boolean {
  return (
    (engine.length === 0 || engines.some((id) => engine.includes(id))) &&
    (route.length === 0 || route.some((pair) => matches(pair, from, to)))
  );
}

/** Whether the run is limited. */
export function isChosen({ engine, route, sample }: Wanted & { readonly sample: number | undefined }): boolean {
  return engine.length > 0 || route.length > 0 || sample !== undefined;
}

function matches(pair: string, from: string, to: string): boolean {
  const [wantedFrom = "*", wantedTo = "*"] = pair.split(":");
  return (wantedFrom === "*" || wantedFrom === from) && (wantedTo === "*" || wantedTo === to);
}
