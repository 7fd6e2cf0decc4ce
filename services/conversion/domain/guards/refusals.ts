import { FilemillError } from "#contract/errors.ts";

export function damaged(what = "The file is damaged or incomplete."): FilemillError {
  return new FilemillError("INVALID_INPUT", what);
}

export function mislabelled(label: string): FilemillError {
  return new FilemillError("INVALID_INPUT", `The file is not ${label}.`);
}

export function tooComplex(what: string): FilemillError {
  return new FilemillError("INPUT_TOO_COMPLEX", what);
}

export function locked(): FilemillError {
  return new FilemillError("PASSWORD_REQUIRED", "The file is protected by a password; send it in the header X-Input-Password.");
}
