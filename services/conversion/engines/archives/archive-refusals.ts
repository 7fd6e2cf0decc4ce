import { FilemillError } from "#contract/errors.ts";

export function behindLink(): FilemillError {
  return new FilemillError("INVALID_INPUT", "The archive has an entry whose path runs through a link or a file.");
}

export function leavesItsFolder(): FilemillError {
  return new FilemillError("INVALID_INPUT", "The archive has an entry whose name points outside its folder.");
}

export function storesReferences(): FilemillError {
  return new FilemillError("CONVERSION_FAILED", "The archive stores identical files as references to one, which cannot be read.");
}
