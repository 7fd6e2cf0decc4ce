/** Lengths of a scene in world units, which a node's scale does not affect. */
import type { Scene } from "./glb-file.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Cameras, lights and transmission (KHR_lights_punctual, KHR_materials_volume). The intensity of a point light falls off with the square of
 * the distance.
 */
export function measuresScaled(scene: Scene, factor: number): Partial<Scene> & Members {
  const { cameras, materials, extensions } = scene;
  const lights = membersOf(membersOf(extensions)?.["KHR_lights_punctual"]);
  return {
    ...(cameras && { cameras: cameras.map((camera) => inner(inner(camera, "perspective", lens), "orthographic", lens)) }),
    ...(materials && { materials: materials.map((material) => inner(material, "extensions", (all) => inner(all, volume, distance))) }),
    ...(Array.isArray(lights?.["lights"]) && {
      extensions: { ...membersOf(extensions), KHR_lights_punctual: { ...lights, lights: lights["lights"].map(shone) } },
    }),
  };

  function lens(view: Members): Members {
    return times(view, ["znear", "zfar", "xmag", "ymag"], factor);
  }
  function distance(material: Members): Members {
    return times(material, ["attenuationDistance"], factor);
  }
  function shone(light: unknown): unknown {
    const members = membersOf(light);
    if (members === undefined || (members["type"] !== "point" && members["type"] !== "spot")) return light;
    return times(times({ intensity: 1, ...members }, ["range"], factor), ["intensity"], factor * factor);
  }
}

const volume = "KHR_materials_volume";

function times(members: Members, names: readonly string[], factor: number): Members {
  const scaled = names.flatMap((name) => (typeof members[name] === "number" ? [[name, members[name] * factor]] : []));
  return { ...members, ...Object.fromEntries(scaled) };
}

function inner(members: Members, name: string, change: (members: Members) => Members): Members {
  const found = membersOf(members[name]);
  return found === undefined ? members : { ...members, [name]: change(found) };
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
