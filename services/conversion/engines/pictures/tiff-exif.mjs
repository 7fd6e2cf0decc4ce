// Reads the fields of a TIFF that EXIF has too, in the form in which libvips writes them. Also runs inside the sandbox.

/** By libvips' name of the directory: number and libexif's name of each field. @see Exif 2.32, 4.6 */
const fields = {
  IFD0: [
    ...[
      [0x10e, "ImageDescription"],
      [0x10f, "Make"],
      [0x110, "Model"],
      [0x132, "DateTime"],
    ],
    ...[
      [0x13b, "Artist"],
      [0x8298, "Copyright"],
    ],
  ],
  IFD2: [
    ...[
      [0x829a, "ExposureTime"],
      [0x829d, "FNumber"],
      [0x8822, "ExposureProgram"],
      [0x8827, "ISOSpeedRatings"],
    ],
    ...[
      [0x9003, "DateTimeOriginal"],
      [0x9004, "DateTimeDigitized"],
      [0x9010, "OffsetTime"],
      [0x9011, "OffsetTimeOriginal"],
    ],
    ...[
      [0x9012, "OffsetTimeDigitized"],
      [0x9201, "ShutterSpeedValue"],
      [0x9202, "ApertureValue"],
      [0x9203, "BrightnessValue"],
    ],
    ...[
      [0x9204, "ExposureBiasValue"],
      [0x9205, "MaxApertureValue"],
      [0x9206, "SubjectDistance"],
      [0x9207, "MeteringMode"],
    ],
    ...[
      [0x9208, "LightSource"],
      [0x9209, "Flash"],
      [0x920a, "FocalLength"],
      [0x9290, "SubSecTime"],
      [0x9291, "SubSecTimeOriginal"],
    ],
    ...[
      [0x9292, "SubSecTimeDigitized"],
      [0xa402, "ExposureMode"],
      [0xa403, "WhiteBalance"],
      [0xa404, "DigitalZoomRatio"],
    ],
    ...[
      [0xa405, "FocalLengthIn35mmFilm"],
      [0xa406, "SceneCaptureType"],
      [0xa430, "CameraOwnerName"],
      [0xa431, "BodySerialNumber"],
    ],
    ...[
      [0xa432, "LensSpecification"],
      [0xa433, "LensMake"],
      [0xa434, "LensModel"],
      [0xa435, "LensSerialNumber"],
    ],
  ],
  IFD3: [
    ...[
      [1, "GPSLatitudeRef"],
      [2, "GPSLatitude"],
      [3, "GPSLongitudeRef"],
      [4, "GPSLongitude"],
      [5, "GPSAltitudeRef"],
    ],
    ...[
      [6, "GPSAltitude"],
      [7, "GPSTimeStamp"],
      [12, "GPSSpeedRef"],
      [13, "GPSSpeed"],
      [16, "GPSImgDirectionRef"],
    ],
    ...[
      [17, "GPSImgDirection"],
      [18, "GPSMapDatum"],
      [29, "GPSDateStamp"],
    ],
  ],
};
const directories = { exif: 0x8769, place: 0x8825 };
const [mostEntries, mostValues, longestText] = [4096, 8, 60_000];
const bytesOfKind = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 9: 4, 10: 8 };

/**
 * For sharp's `withExifMerge`. Texts beyond ASCII are left out: libexif would replace their letters. So is what programs write for
 * unknown values: zero for an exposure, and the first moment of 1970.
 *
 * @param {Buffer} bytes
 * @returns {Record<string, Record<string, string>>}
 */
export function exifOfTiff(bytes) {
  /** @type {Record<string, Record<string, string>>} */
  const found = {};
  try {
    const top = entriesAt(bytes, longAt(bytes, 4));
    const inside = (/** @type {number} */ tag) => {
      const entry = top.get(tag);
      return entry === undefined ? new Map() : entriesAt(bytes, longAt(bytes, entry + 8));
    };
    const places = { IFD0: top, IFD2: inside(directories.exif), IFD3: inside(directories.place) };
    for (const [name, entries] of Object.entries(places)) {
      const rows = fields[/** @type {keyof typeof fields} */ (name)].flatMap(([tag, word]) => {
        const at = entries.get(tag);
        const text = at === undefined ? undefined : textAt(bytes, at);
        return text === undefined ? [] : [[word, text]];
      });
      if (rows.length > 0) found[name] = Object.fromEntries(rows);
    }
  } catch (error) {
    // Damaged, or BigTIFF: a note names what the result lacks.
    if (!(error instanceof RangeError)) throw error;
  }
  return found;
}

/** Where the entry of each tag begins. @param {Buffer} bytes @param {number} start @returns {Map<number, number>} */
function entriesAt(bytes, start) {
  const entries = new Map();
  const count = Math.min(mostEntries, shortAt(bytes, start));
  for (let at = start + 2; entries.size < count && at < start + 2 + count * 12; at += 12) {
    // Of a repeated tag, libtiff takes the first.
    const tag = shortAt(bytes, at);
    if (!entries.has(tag)) entries.set(tag, at);
  }
  return entries;
}

const unknownIfZero = new Set([0x829a, 0x829d, 0x8827, 0x920a]);

/** @param {Buffer} bytes @param {number} entry @returns {string | undefined} */
function textAt(bytes, entry) {
  const [tag, kind, count] = [shortAt(bytes, entry), shortAt(bytes, entry + 2), longAt(bytes, entry + 4)];
  const size = bytesOfKind[/** @type {keyof typeof bytesOfKind} */ (kind)];
  if (size === undefined || count > (kind === 2 ? longestText : mostValues)) return undefined;
  const start = count * size <= 4 ? entry + 8 : longAt(bytes, entry + 8);
  if (kind === 2) return wordsOf(bytes.toString("latin1", start, start + count));
  const values = Array.from({ length: count }, (_, index) => numberAt(bytes, start + index * size, kind));
  const isUnknown = values.some((value) => value.endsWith("/0")) || (unknownIfZero.has(tag) && values.every((value) => /^0\b/.test(value)));
  return isUnknown || count === 0 ? undefined : values.join(" ");
}

/** libvips cuts off a remark in brackets at the end, as it writes one itself. @param {string} stored */
function wordsOf(stored) {
  const [text = ""] = stored.split("\0", 1);
  const isUnknown = !/[\da-z]/i.test(text) || text === "1970:01:01 00:00:00";
  return isUnknown || !/^[\x20-\x7e]+$/.test(text) ? undefined : `${text} (text, ASCII, 1 components, 1 bytes)`;
}

/** @param {Buffer} bytes @param {number} at @param {number} kind */
function numberAt(bytes, at, kind) {
  const long = (/** @type {number} */ place) => (kind > 8 ? longAt(bytes, place) | 0 : longAt(bytes, place));
  if (kind === 5 || kind === 10) return `${long(at)}/${long(at + 4)}`;
  return String(kind === 1 ? bytes.readUInt8(at) : kind === 3 ? shortAt(bytes, at) : long(at));
}

/** @param {Buffer} bytes @param {number} at */
const shortAt = (bytes, at) => (bytes[0] === 0x49 ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
/** @param {Buffer} bytes @param {number} at */
const longAt = (bytes, at) => (bytes[0] === 0x49 ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
