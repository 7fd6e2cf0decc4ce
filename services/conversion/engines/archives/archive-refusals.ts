import { FilemillError } from "#contract/errors.ts";

export function behindLink(): FilemillError {
  return new FilemillError("INVALID_INPUT", "The archive has an entry whose path runs through a link or a file.");
}

export function leavesItsFolder(): FilemillError {
  return new FilemillError("INVALID_INPUT", "The archive has an entry whose name points outside its folder.");
}

export function isProtected(): FilemillError {
  return new FilemillError("PASSWORD_REQUIRED", "The archive is protected by a password; remove the password and try again.");
}

export function isOnePart(): FilemillError {
  return new FilemillError(
    "INVALID_INPUT",
    "The archive is split into several files, of which this is one; pack it as one file and try again.",
  );
}

export function storesReferences(): FilemillError {
  return new FilemillError("CONVERSION_FAILED", "The archive stores identical files as references to one, which cannot be read.");
}
