/** Merges vertices that are the same in every attribute. */
export class Corners {
  readonly #numbers = new Map<string, number>();
  readonly #places: number[] = [];

  /** `key`: all attributes of the vertex. */
  numberOf(key: string, place: () => readonly number[]): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(key, number);
    const [x = Number.NaN, y = Number.NaN, z = Number.NaN] = place();
    this.#places.push(x, y, z);
    return number;
  }

  places(): Float32Array {
    return Float32Array.from(this.#places);
  }

  keys(): readonly string[] {
    return [...this.#numbers.keys()];
  }
}
