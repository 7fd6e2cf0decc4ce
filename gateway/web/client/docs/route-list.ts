import { durationText } from "#client/parts/words.ts";
import type { Fidelity, Route, RouteDetail } from "#client/server/wire.ts";

const labels: readonly (readonly [Fidelity, string])[] = [
  ["lossless", "Lossless"],
  ["high", "High fidelity"],
  ["reduced", "Reduced"],
  ["extract", "Extract"],
];

type Child = Node | string;

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.append(...children);
  return made;
}

/** Plain text in which backticks mark code. */
function proseOf(text: string): Child[] {
  return text.split("`").map((piece, index) => (index % 2 === 1 ? element("code", "", piece) : piece));
}

/** The conversions from a format, most faithful first. */
export function routeList(from: string, routes: readonly Route[]): HTMLElement {
  const groups = labels.flatMap(([fidelity, label]) => {
    const members = routes.filter((route) => route.fidelity === fidelity);
    if (members.length === 0) return [];
    const tags = members.map(({ to }) => element("li", "", element("code", "tag", to)));
    return [
      element(
        "div",
        "",
        element("h3", "", `${label} `, element("span", "quiet", String(members.length))),
        element("ul", "route-tags", ...tags),
      ),
    ];
  });
  const box = element("div", "format-routes", ...groups);
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", `Conversions from ${from}`);
  return box;
}

/** Engines, recent duration, and the measurements of the proof. */
function detailOf({ hops, estimateMs, proof }: RouteDetail): HTMLElement[] {
  const steps = hops.map(({ label, version, from, to }) => `${label} ${version} (${from} to ${to})`).join(", then ");
  const times = estimateMs === null ? "" : ` Recently about ${durationText(estimateMs)}.`;
  const figures = Object.entries(proof?.figures ?? {}).map(([name, value]) => `${name} ${Number(value.toFixed(3))}`);
  const measured =
    proof === null ? [] : [element("p", "quiet", `Measured on ${proof.date}, read back by ${proof.reader}: ${figures.join(", ")}.`)];
  return [element("p", "quiet", `By ${steps}.${times}`), ...measured];
}

/** Describes one conversion, or says that there is none. */
export function routeText(from: string, to: string, route: Route | undefined, detail: RouteDetail | undefined): HTMLElement {
  const title = element("p", "pair-title", element("code", "", from), " to ", element("code", "", to));
  if (route === undefined)
    return element("div", "pair", title, element("p", "quiet", "This server lists no conversion between these two formats."));
  const facts = [
    labels.find(([fidelity]) => fidelity === route.fidelity)?.[1] ?? "",
    `files up to ${route.maxInputMb} MB`,
    route.async ? "queued" : "answered immediately if quick",
  ];
  const options = route.options.map(({ name, description }) =>
    element("div", "", element("dt", "", element("code", "", name)), element("dd", "", ...proseOf(description))),
  );
  return element(
    "div",
    "pair",
    title,
    element("p", "", facts.join(" · ")),
    ...(detail === undefined ? [] : detailOf(detail)),
    ...(options.length === 0 ? [] : [element("p", "quiet", "Options"), element("dl", "properties", ...options)]),
  );
}
