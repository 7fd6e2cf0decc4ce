/** A requested change to a model, and its result. */
export type Change = {
  /** Share of the triangles to keep: 0.01 to 1. */
  readonly share: number;
  /** Factor for all lengths. */
  readonly factor: number;
};

export type Changed = {
  readonly bytes: Uint8Array;
  /** Triangles before and after. */
  readonly had: number;
  readonly has: number;
};
