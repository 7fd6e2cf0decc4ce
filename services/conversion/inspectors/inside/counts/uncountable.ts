/** The file is of a sort that is not counted with certainty. */
export class Uncountable extends Error {}
