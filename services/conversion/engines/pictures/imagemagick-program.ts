/** The system's ImageMagick: Debian 12 and Ubuntu 24.04 have version 6, Debian 13 has version 7. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const programs = [
  { path: "/usr/bin/convert-im6.q16", packages: ["imagemagick-6.q16"], modules: ["libmagickcore-6.q16-6-extra"] },
  { path: "/usr/bin/magick-im7.q16", packages: ["imagemagick-7.q16"], modules: ["libmagickcore-7.q16-10-extra"] },
] as const;

/** The first that is installed, or the first of all, so that its probe fails. `modules` are the packages with optional formats. */
export const magick = programs.find(({ path }) => existsSync(path)) ?? programs[0];

const policyInside = "/engine/imagemagick";
/** For each run of it in the sandbox. */
export const withPolicy = {
  env: { MAGICK_CONFIGURE_PATH: policyInside, MAGICK_THREAD_LIMIT: "2" },
  readOnly: { [join(import.meta.dirname, "imagemagick-policy/policy.xml")]: `${policyInside}/policy.xml` },
};

/** Before reading: BMP may state a size of its own that is wrong; whether pixels are missing does not follow from it. */
export const lenient = ["-define", "bmp:ignore-filesize=true"];
