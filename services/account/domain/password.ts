import { FilemillError } from "#contract/errors.ts";

/** Who waits for a slow hash. Known people do not wait for strangers, however many there are. */
export type Asker = "known" | "stranger";

/** Slow hashes of passwords. Both reject with OVERLOADED when too many of their kind are waiting. */
export type Hasher = {
  /** The string to store; algorithm, parameters and salt are in it. */
  hash(password: string, asker: Asker): Promise<string>;
  /** Does the same work for every password, and as much without a stored hash as with one of today's parameters. */
  verify(password: string, stored: string | undefined, asker: Asker): Promise<boolean>;
  /** Made with other parameters than new hashes are. */
  isOutdated(stored: string): boolean;
};

const minCharacters = 10;
const maxCharacters = 256;
const minDifferent = 5;

/**
 * A password that may be set, in the one spelling that is hashed (NFKC, NIST SP 800-63B). Throws BAD_REQUEST with
 * `details.field` for one that is too short, too long, of few different characters, or the address itself.
 */
export function parsePassword(text: string, email: string, field: "password" | "next"): string {
  const refuse = (message: string): never => {
    throw new FilemillError("BAD_REQUEST", message, { details: { field } });
  };
  const password = spelled(text);
  const characters = [...password];
  if (characters.length < minCharacters || characters.length > maxCharacters)
    return refuse(`Choose a password of ${minCharacters} to ${maxCharacters} characters.`);
  if (new Set(characters).size < minDifferent) return refuse(`Choose a password with at least ${minDifferent} different characters.`);
  if (email.includes(password.toLowerCase())) return refuse("Choose a password that is not your e-mail address.");
  return password;
}

/** As it is hashed, whatever was typed; the length is bounded, so that nobody has us hash megabytes. */
export function spelled(text: string): string {
  return text.slice(0, 4 * maxCharacters).normalize("NFKC");
}
