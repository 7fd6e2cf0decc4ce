/** Long tables of tests of one sort, of which a run takes its turn (decision 93). */
import process from "node:process";

/** One row in so many runs on a day. */
const share = 3;
const msPerDay = 86_400_000;

/** Whether this run takes every row: `npm test -- --all`. */
export const takesAll = process.env["TEST_ROWS"] === "all";

/**
 * Every third row, others on the next day, so that three days take them all. Short tables are taken whole.
 *
 * @param day - Days since 1970 (UTC). Two runs on one day take the same rows.
 */
export function sampled<T>(rows: readonly T[], day = Math.floor(Date.now() / msPerDay), all = takesAll): readonly T[] {
  return all || rows.length <= share ? rows : rows.filter((_, at) => (at + day) % share === 0);
}
