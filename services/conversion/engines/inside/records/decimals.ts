/** Decimals as integers with a scale. */

export type Decimal = { readonly digits: bigint; readonly scale: number };

/** Longer numbers do not fit any column. */
const maxDigits = 100;

/** Parses a number as written in JSON; undefined for anything else, such as NaN, or if it is too long. */
export function decimalOf(text: string): Decimal | undefined {
  const found = /^([-+]?)(\d{0,100})(?:\.(\d{0,100}))?(?:[eE]([-+]?\d{1,3}))?$/.exec(text);
  if (found === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = found;
  const scale = fraction.length - Number(exponent);
  if (whole + fraction === "" || Math.abs(scale) > maxDigits) return undefined;
  const digits = BigInt(`${whole}${fraction}${"0".repeat(Math.max(0, -scale))}`);
  return { digits: sign === "-" ? -digits : digits, scale: Math.max(0, scale) };
}

/** The digits at a larger scale. */
export function rescaled({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale);
}

/** Two's complement, big-endian, as short as possible. */
export function signedBytes(value: bigint): Buffer {
  let size = 1;
  while (BigInt.asIntN(size * 8, value) !== value) size += 1;
  return Buffer.from(
    BigInt.asUintN(size * 8, value)
      .toString(16)
      .padStart(size * 2, "0"),
    "hex",
  );
}
