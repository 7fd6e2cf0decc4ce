/** Long tables of similar tests, of which each run takes a part (decision 93). */
import process from "node:process";

/** One row in this many per day. */
const share = 3;
const msPerDay = 86_400_000;

/** Whether this run takes every row: `npm test -- --all`. */
export const takesAll = process.env["TEST_ROWS"] === "all";

/**
 * Every third row, different ones each day, so that three days cover them all. Short tables are not sampled.
 *
 * @param day - Days since 1970 (UTC). Two runs on the same day take the same rows.
 */
export function sampled<T>(rows: readonly T[], day = Math.floor(Date.now() / msPerDay), all = takesAll): readonly T[] {
  return all || rows.length <= share ? rows : rows.filter((_, at) => (at + day) % share === 0);
}
