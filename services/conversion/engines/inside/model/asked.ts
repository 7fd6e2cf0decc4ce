/** What is asked of a model, and what was made of it. */
export type Change = {
  /** Of the triangles, what is to be left: 0.01 to 1. */
  readonly share: number;
  /** Times which every length is taken. */
  readonly factor: number;
};

export type Changed = {
  readonly bytes: Uint8Array;
  /** Triangles before and after. */
  readonly had: number;
  readonly has: number;
};
