/** Parses the parts of a 3MF file. @see 3D Manufacturing Format, core specification 1.3; materials and production extensions */
import { unzipSync } from "fflate";
import sax from "sax";
import { Failure, invalid, tooComplex } from "../failure.ts";

/** Twelve numbers: the images of x, y and z, and the translation. */
export type Transform = readonly number[];
export type Reference = { readonly key: string; readonly transform: Transform };
/** A colour by its group and index. */
type Paint = { readonly group: string; readonly place: number };
export type Solid = {
  readonly name: string;
  readonly positions: readonly number[];
  readonly triangles: readonly number[];
  /** One per triangle. */
  readonly paints: readonly (Paint | undefined)[];
  readonly components: readonly Reference[];
};

export type Parts = {
  readonly objects: ReadonlyMap<string, Solid>;
  readonly items: readonly Reference[];
  /** `#RRGGBB` or `#RRGGBBAA`, by `part#group`. */
  readonly colours: ReadonlyMap<string, readonly string[]>;
  /** Contents other than shapes and colours. */
  readonly left: ReadonlySet<string>;
  /** In millimetres. */
  readonly unit: number;
};

const maxUnpacked = 400 * 2 ** 20;
const maxNumbers = 60_000_000;
const units: Readonly<Record<string, number>> = { micron: 0.001, millimeter: 1, centimeter: 10, inch: 25.4, foot: 304.8, meter: 1000 };
const unmoved: Transform = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
const lost: Readonly<Record<string, string>> = {
  texture2dgroup: "Textures",
  compositematerials: "Mixed materials",
  multiproperties: "Mixed materials",
  beamlattice: "Beam lattices",
  slicestack: "Slices",
};
const damaged = "The model is damaged or is not 3MF.";

export function partsIn(bytes: Buffer): Parts {
  const reading = new Reading();
  for (const [name, text] of modelsIn(bytes)) reading.read(`/${name}`, text);
  return reading;
}

/** The root part comes first: its items are what is built. */
function modelsIn(bytes: Buffer): readonly (readonly [string, string])[] {
  let unpacked = 0;
  const wanted = (name: string) => name === "_rels/.rels" || name.toLowerCase().endsWith(".model");
  const files = unzipped(bytes, ({ name, originalSize }) => {
    if (wanted(name)) unpacked += originalSize;
    if (unpacked > maxUnpacked) throw tooComplex("The model is too large to convert.");
    return wanted(name);
  });
  const texts = Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString("utf8")] as const);
  const relations = texts.find(([name]) => name === "_rels/.rels")?.[1] ?? "";
  const relation = relations.split("<Relationship ").find((each) => each.includes('/3dmodel"')) ?? "";
  const target = /Target="\/?([^"]*)"/.exec(relation)?.[1] ?? "3D/3dmodel.model";
  const models = texts.filter(([name]) => name !== "_rels/.rels");
  const root = models.find(([name]) => name === target);
  if (root === undefined) throw invalid(damaged);
  return [root, ...models.filter((each) => each !== root)];
}

function unzipped(bytes: Buffer, filter: (file: { name: string; originalSize: number }) => boolean): Record<string, Uint8Array> {
  try {
    return unzipSync(withShortSizes(bytes), { filter });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw invalid(damaged);
  }
}

const fullField = 0xffff_ffff;

/** Programs with lib3mf state every size in a ZIP64 field, which fflate reads only if the archive as a whole needs ZIP64. */
function withShortSizes(bytes: Buffer): Buffer {
  const zip = Buffer.from(bytes);
  const end = zip.lastIndexOf("PK\x05\x06", undefined, "latin1");
  let at = end < 0 ? zip.length : zip.readUInt32LE(end + 16);
  while (at + 46 <= zip.length && zip.readUInt32LE(at) === 0x02014b50) {
    const fields = at + 46 + zip.readUInt16LE(at + 28);
    const isLong = zip.readUInt32LE(at + 20) === fullField && zip.readUInt32LE(at + 24) === fullField;
    if (isLong && fields + 20 <= zip.length && zip.readUInt16LE(fields) === 1) {
      zip.copy(zip, at + 24, fields + 4, fields + 8);
      zip.copy(zip, at + 20, fields + 12, fields + 16);
    }
    at = fields + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return zip;
}

type Attributes = Readonly<Record<string, string>>;
type Draft = { -readonly [Key in keyof Solid]: Solid[Key] extends readonly (infer Each)[] ? Each[] : Solid[Key] } & {
  paint: Paint | undefined;
};

class Reading implements Parts {
  readonly objects = new Map<string, Draft>();
  readonly items: Reference[] = [];
  readonly colours = new Map<string, string[]>();
  readonly left = new Set<string>();
  unit = 1;
  #part = "";
  #root = "";
  #object: Draft | undefined;
  #group: string[] | undefined;
  #numbers = 0;

  read(part: string, text: string): void {
    this.#part = part;
    if (this.#root === "") this.#root = part;
    const parser = sax.parser(true);
    parser.onerror = () => {
      throw invalid(damaged);
    };
    parser.onopentag = ({ name, attributes }) => this.#open(name.slice(name.indexOf(":") + 1), attributes);
    parser.write(text).close();
  }

  #open(name: string, given: Attributes): void {
    if (lost[name] !== undefined) this.left.add(lost[name]);
    switch (name) {
      case "model":
        if (this.#part === this.#root) this.unit = units[given["unit"] ?? "millimeter"] ?? 1;
        return;
      case "basematerials":
      case "colorgroup":
        this.#group = [];
        this.colours.set(`${this.#part}#${given["id"]}`, this.#group);
        return;
      case "base":
      case "color":
        this.#group?.push(given["displaycolor"] ?? given["color"] ?? "");
        return;
      case "object":
        this.#object = {
          name: given["name"] ?? "",
          positions: [],
          triangles: [],
          paints: [],
          components: [],
          paint: this.#paintOf(given["pid"], given["pindex"]),
        };
        this.objects.set(`${this.#part}#${given["id"]}`, this.#object);
        return;
      case "vertex":
        this.#object?.positions.push(this.#number(given["x"]), this.#number(given["y"]), this.#number(given["z"]));
        return;
      case "triangle":
        this.#object?.triangles.push(this.#number(given["v1"]), this.#number(given["v2"]), this.#number(given["v3"]));
        this.#object?.paints.push(
          given["p1"] === undefined ? this.#object.paint : (this.#paintOf(given["pid"], given["p1"]) ?? this.#object.paint),
        );
        return;
      case "component":
        this.#object?.components.push(this.#referenceOf(given));
        return;
      case "item":
        if (this.#part === this.#root) this.items.push(this.#referenceOf(given));
    }
  }

  #number(text: string | undefined): number {
    const value = Number(text ?? Number.NaN);
    if (!Number.isFinite(value)) throw invalid(damaged);
    if (++this.#numbers > maxNumbers) throw tooComplex("The model has too many faces.");
    return value;
  }

  #paintOf(group: string | undefined, place: string | undefined): Paint | undefined {
    return group === undefined ? undefined : { group: `${this.#part}#${group}`, place: Number(place ?? 0) };
  }

  /** `p:path` names the part that contains an object from another part. */
  #referenceOf(given: Attributes): Reference {
    const path = Object.entries(given).find(([name]) => name === "path" || name.endsWith(":path"))?.[1] ?? this.#part;
    const transform = given["transform"] === undefined ? unmoved : given["transform"].trim().split(/\s+/).map(Number);
    if (transform.length !== 12 || transform.some((value) => !Number.isFinite(value))) throw invalid(damaged);
    return { key: `${path}#${given["objectid"]}`, transform };
  }
}
