// Runs inside the sandbox, beside sharp-child.mjs: decides whether a failure is the file's fault.
/** A failure with one of Filemill's error codes. `odd`: the cause is unknown, so the host replaces this process. */
export class Failure extends Error {
  constructor(code, message, odd = false) {
    super(message);
    this.code = code;
    this.odd = odd;
  }
}

/** What libvips' readers say of a file that is damaged or not what it claims to be. A writer's failure has another wording. */
const badInput = [
  /^Input (?:buffer|file) (?:has corrupt header|contains unsupported image format)/,
  /warning treated as error|source: bad seek|not a known (?:buffer|file) format|buffer is not in a known format/,
  /VipsJpeg: (?!Maximum|Insufficient|Output|out of order)/,
  /vipspng: libpng read error|pngload|spng/,
  /gifload|webpload|webp2vips|webp: unable to (?:parse|read)|tiffload|tiff2vips|svgload|heifload/,
  /TIFF(?:Read|Fetch|Fill|Client|Open)|Read error on|Bogus "|JPEGLib|LZWDecode|ZIPDecode|PackBitsDecode|Fax[34]Decode/,
  /heif: (?:Invalid input|Decoder plugin)|XML parse error/,
];

/** libvips' messages that tell bombs, limits of formats and unsupported files apart. */
const failures = [
  [
    /exceeds pixel limit|SVG dimensions|dimensions exceed/i,
    "INPUT_TOO_COMPLEX",
    "The picture has more pixels than the safe bound of 100 million.",
  ],
  [
    /dimension.{0,200}too large|too large for/i,
    "INPUT_TOO_COMPLEX",
    "The picture has more pixels on a side than the target format can hold; use width or height.",
  ],
  // Intact, but of a kind that libvips does not read; another engine may.
  [
    /samples out of range|bad labq format|not a whole number of bytes|separate planes not supported|exceeds channel limit/,
    "CONVERSION_FAILED",
    "The picture's samples are of a kind that could not be read.",
    true,
  ],
  [/memory/i, "INPUT_TOO_COMPLEX", "The picture needs more memory than is allowed."],
];

export function failureOf(error) {
  if (error instanceof Failure) return error;
  const said = error instanceof Error ? error.message : "";
  const row = failures.find(([pattern]) => pattern.test(said));
  if (row !== undefined) return new Failure(row[1], row[2], row[3]);
  if (badInput.some((pattern) => pattern.test(said))) {
    return new Failure("INVALID_INPUT", "The picture is damaged, truncated or not what it claims to be.");
  }
  return new Failure("CONVERSION_FAILED", "The picture could not be converted.", true);
}

/** The same for a file that may be known to be truncated: if pictures are read in parallel, libvips may lose its reader's message. */
export function failureOfCut(error, isCut) {
  const failure = failureOf(error);
  return failure.odd && isCut ? new Failure("INVALID_INPUT", "The picture is truncated.") : failure;
}

export function choosePage({ pages = 1 }, { options }, input) {
  const { page = 1 } = options;
  if (page > pages) throw new Failure("INVALID_OPTION", pages === 1 ? "The file has one picture." : `The file has ${pages} pictures.`);
  if (page > 1) input.page = page - 1;
}

export function assertFormat(expected, found) {
  const names = { jpg: "jpeg", avif: "heif" };
  if (found !== (names[expected] ?? expected)) throw new Failure("INVALID_INPUT", `The file is not ${expected.toUpperCase()}.`);
}
