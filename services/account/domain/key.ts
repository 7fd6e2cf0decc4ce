/**
 * API keys: `fm_`, 43 random base62 characters (43 x log2 62 = 256.03 bits), 6 characters of checksum.
 *
 * The checksum is the CRC-32 (ISO-HDLC, as in zlib) of everything before it, in base62 with leading zeros. It detects a mistyped or
 * truncated key without a look-up in the store, and always if only one character or two adjacent ones are wrong. It is no secret: anyone
 * who invents a key can compute it.
 */
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const scheme = "fm_";
const randomLength = 43;
const checksumLength = 6;
const bodyLength = scheme.length + randomLength;
const shape = new RegExp(`^${scheme}[0-9A-Za-z]{${randomLength + checksumLength}}$`);
/** The largest multiple of 62 in a byte. Larger values are discarded so that every character is equally likely. */
const fairBytes = 248;

export function createKeySecret(): string {
  let body = scheme;
  while (body.length < bodyLength) {
    for (const byte of randomBytes(randomLength)) {
      if (byte < fairBytes && body.length < bodyLength) body += alphabet.charAt(byte % alphabet.length);
    }
  }
  return body + checksumOf(body);
}

/** Whether the text has the form and checksum of a key. It may still never have been issued. */
export function isKeySecret(text: string): boolean {
  return shape.test(text) && checksumOf(text.slice(0, bodyLength)) === text.slice(bodyLength);
}

/** What is stored instead of the key: SHA-256 in hex. 256 random bits cannot be guessed, so neither salt nor a slow hash is needed. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

/** The part that may be shown again. */
export function prefixOf(secret: string): string {
  return secret.slice(0, 8);
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
