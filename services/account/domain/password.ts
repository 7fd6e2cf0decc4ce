import { FilemillError } from "#contract/errors.ts";

/** Who waits for a slow hash. Known people never wait for strangers, however many there are. */
export type Asker = "known" | "stranger";

/** Slow password hashes. Both methods reject with OVERLOADED when too many callers of the same kind are waiting. */
export type Hasher = {
  /** The string to store. It contains the algorithm, the parameters and the salt. */
  hash(password: string, asker: Asker): Promise<string>;
  /** Does the same work for every password, and without a stored hash as much as for one with the current parameters. */
  verify(password: string, stored: string | undefined, asker: Asker): Promise<boolean>;
  /** Whether the hash was made with parameters other than those of new hashes. */
  isOutdated(stored: string): boolean;
};

const minCharacters = 10;
const maxCharacters = 256;
const minDifferent = 5;

/**
 * A password that may be set, in the normalised form that is hashed (NFKC, NIST SP 800-63B). Throws BAD_REQUEST with `details.field` if
 * it is too short, too long, has too few different characters, or is the address itself.
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

/** The normalised form that is hashed. The length is limited so that nobody can make the server hash megabytes. */
export function spelled(text: string): string {
  return text.slice(0, 4 * maxCharacters).normalize("NFKC");
}
