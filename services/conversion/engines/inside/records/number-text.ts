/** Below this, the zeros make a number unreadable. */
const smallestPlain = 1e-30;

/** Keeps the sign of zero, which JavaScript omits, and writes small numbers without an exponent, as text tables do. */
export function textOfNumber(value: number): string {
  if (Object.is(value, -0)) return "-0";
  return Math.abs(value) < 1e-6 && Math.abs(value) > smallestPlain ? withoutExponent(value) : String(value);
}

function withoutExponent(value: number): string {
  const [mantissa = "", exponent] = String(Math.abs(value)).split("e-");
  return `${value < 0 ? "-" : ""}0.${"0".repeat(Number(exponent) - 1)}${mantissa.replace(".", "")}`;
}
