/** Which layer a file belongs to and what that layer may import. See services/README.md. */

export type Place =
  | {
      readonly layer: "gen" | "contract" | "kit" | "formats" | "gateway" | "compose" | "client" | "cli" | "setup" | "docs" | "test";
      readonly service?: undefined;
    }
  | {
      readonly layer: "domain" | "adapters" | "engines" | "inspectors" | "sandbox" | "rpc" | "config" | "index" | "main";
      /** Undefined for the gateway's main. */
      readonly service: string | undefined;
    };
type Layer = Place["layer"];

const serviceFolders = ["domain", "adapters", "engines", "inspectors", "sandbox"] as const;
const serviceFiles = ["rpc", "config", "index", "main"] as const;

/** Undefined for a file outside the layers. */
export function placeOf(path: string): Place | undefined {
  const [top = "", second = "", third = ""] = path.split("/");
  if (top === "gen" || top === "test") return { layer: top };
  if (top === "gateway") return gatewayPlaceOf(path);
  if (top !== "services") return undefined;
  if (second === "contract" || second === "kit" || second === "formats") return { layer: second };
  const folder = serviceFolders.find((name) => name === third);
  if (folder !== undefined) return { layer: folder, service: second };
  const file = serviceFiles.find((name) => `${name}.ts` === third);
  return file === undefined ? undefined : { layer: file, service: second };
}

function gatewayPlaceOf(path: string): Place {
  if (path === "gateway/main.ts") return { layer: "main", service: undefined };
  if (path === "gateway/compose.ts" || path === "gateway/library.ts") return { layer: "compose" };
  if (path.startsWith("gateway/web/client/")) return { layer: "client" };
  const folder = (["cli", "setup", "docs"] as const).find((name) => path.startsWith(`gateway/${name}/`));
  return { layer: folder ?? "gateway" };
}

/** Layers of the same service, or layers that belong to no service. */
const allowed: Readonly<Record<Layer, readonly Layer[]>> = {
  gen: ["gen"],
  contract: ["gen", "contract"],
  kit: ["gen", "contract", "kit"],
  formats: ["gen", "formats"],
  domain: ["gen", "contract", "kit", "formats", "domain"],
  adapters: ["gen", "contract", "kit", "formats", "domain", "adapters", "config"],
  engines: ["contract", "kit", "formats", "domain", "sandbox", "engines"],
  inspectors: ["contract", "kit", "formats", "domain", "engines", "sandbox", "inspectors"],
  sandbox: ["contract", "kit", "domain", "sandbox"],
  rpc: ["gen", "contract", "kit", "formats", "domain"],
  config: ["contract", "kit"],
  index: ["gen", "contract", "kit", "formats", "domain", "adapters", "engines", "inspectors", "sandbox", "rpc", "config"],
  gateway: ["gen", "contract", "kit", "formats", "gateway"],
  // Browser code may use types of the gateway's answers; the bundler rejects anything else.
  client: ["contract", "kit", "client", "gateway"],
  // From the command line, only the port that it queries.
  compose: ["gen", "contract", "kit", "formats", "gateway", "index", "cli"],
  main: ["gen", "contract", "kit", "index", "compose", "gateway", "setup"],
  // From the gateway, only the types of the answers that it requests from a server.
  cli: ["gen", "contract", "kit", "formats", "cli", "setup", "compose", "gateway"],
  setup: ["setup"],
  // Documentation is generated from all declarations.
  docs: ["gen", "contract", "kit", "formats", "docs", "domain", "engines", "sandbox", "gateway"],
  test: [
    "gen",
    "contract",
    "kit",
    "formats",
    "domain",
    "adapters",
    "engines",
    "inspectors",
    "sandbox",
    "rpc",
    "config",
    "index",
    "gateway",
    "client",
    "compose",
    "cli",
    "setup",
    "docs",
    "test",
  ],
};

/** Whether a file of `from` may import one of `to`. */
export function mayImport(from: Place, to: Place): boolean {
  if (!allowed[from.layer].includes(to.layer)) return false;
  const isOpen = from.layer === "test" || from.layer === "compose" || from.layer === "docs";
  return isOpen || from.service === undefined || to.service === undefined || from.service === to.service;
}

/** The gateway from bottom to top: a folder may import from those before it, and gateway files outside these folders. */
const gatewayRooms = ["http", "access", "exchange", "rest", "webhook", "account", "operator", "mcp", "openapi", "web", "routes"] as const;

/** Whether this import points upwards within the gateway. */
export function climbs(from: string, to: string): boolean {
  const [lower, upper] = [floorOf(from), floorOf(to)];
  return lower >= 0 && upper > lower;
}

function floorOf(path: string): number {
  const room = gatewayRooms.findIndex((name) => path.startsWith(`gateway/${name}/`));
  return path === "gateway/server.ts" ? gatewayRooms.length : room;
}
