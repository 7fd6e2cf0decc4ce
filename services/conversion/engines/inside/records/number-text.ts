/** With more zeros nobody reads a number. */
const smallestPlain = 1e-30;

/** With the sign of a zero, which the language leaves out, and small numbers as people and tables of text have them. */
export function textOfNumber(value: number): string {
  if (Object.is(value, -0)) return "-0";
  return Math.abs(value) < 1e-6 && Math.abs(value) > smallestPlain ? withoutExponent(value) : String(value);
}

function withoutExponent(value: number): string {
  const [mantissa = "", exponent] = String(Math.abs(value)).split("e-");
  return `${value < 0 ? "-" : ""}0.${"0".repeat(Number(exponent) - 1)}${mantissa.replace(".", "")}`;
}
