/** The file cannot be counted reliably. */
export class Uncountable extends Error {}
