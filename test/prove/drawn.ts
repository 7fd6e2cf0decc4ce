/** A random selection that is deterministic for a seed. */
export function drawn<T>(targets: readonly T[], count: number, seed: string): readonly T[] {
  let state = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  const pool = [...targets];
  return Array.from({ length: Math.min(count, pool.length) }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return pool.splice(Math.floor((state / 2 ** 32) * pool.length), 1)[0];
  }).filter((target) => target !== undefined);
}
