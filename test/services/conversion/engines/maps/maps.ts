/** Converts ad-hoc maps, and reads the results with GDAL itself. */
import { execFile } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gdalEngine } from "#services/conversion/engines/maps/gdal.ts";
import { type Converted, useBench } from "#test/contract/engine.ts";

const run = promisify(execFile);

/** For the tests of one file. */
export function openMaps() {
  const bench = useBench(gdalEngine);

  async function convert(text: string | Uint8Array, from: string, to: string, options = {}): Promise<Converted> {
    const path = join(bench.folder, `values.${from}`);
    await writeFile(path, text);
    return await bench.convert(path, from, to, options);
  }

  return {
    convert,
    again: async ({ path }: Converted, from: string, to: string) => await bench.convert(path, from, to),
    inFolder: (name: string) => join(bench.folder, name),
    /** GDAL's own reading of a result, as GeoJSON with all digits. */
    async read(result: Promise<Converted> | Converted, format: string, layer?: string) {
      const named = join(bench.folder, `read.${format}`);
      await copyFile((await result).path, named);
      const source = format.endsWith("zip") ? `/vsizip/${named}` : named;
      const digits = ["-lco", "COORDINATE_PRECISION=15", "-lco", "SIGNIFICANT_FIGURES=20"];
      const args = ["-f", "GeoJSON", "/vsistdout/", source, ...(layer === undefined ? [] : [layer]), ...digits];
      return JSON.parse((await run("ogr2ogr", args)).stdout).features;
    },
  };
}

export const textOf = async (result: Promise<Converted>) => await readFile((await result).path, "utf8");
export const featuresOf = async (result: Promise<Converted>) => JSON.parse(await textOf(result)).features;

export const map = (...features: readonly (readonly [properties: object, geometry: object | null, more?: object])[]) =>
  JSON.stringify({
    type: "FeatureCollection",
    features: features.map(([properties, geometry, more]) => ({ type: "Feature", ...more, properties, geometry })),
  });
export const point = (...coordinates: readonly number[]) => ({ type: "Point", coordinates });
export const line = (...coordinates: readonly (readonly number[])[]) => ({ type: "LineString", coordinates });
