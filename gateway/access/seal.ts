import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts values into URL-safe text that only this installation can create, read or change. */
export type Seal = {
  seal(value: unknown): string;
  /** Undefined for text that was not sealed here for this purpose. */
  open(text: string): unknown;
};

const ivBytes = 12;
const tagBytes = 16;

/**
 * Uses AES-256-GCM.
 *
 * @param secret - Secret of this installation.
 * @param purpose - Text sealed for one purpose cannot be opened for another.
 * @param maxCharacters - Longer text is rejected without decoding.
 */
export function createSeal(secret: string, purpose: string, maxCharacters: number): Seal {
  const key = Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
  return {
    seal(value) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      const body = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
      return Buffer.concat([iv, body, cipher.getAuthTag()]).toString("base64url");
    },
    open(text) {
      if (text.length > maxCharacters || !/^[\w-]+$/.test(text)) return undefined;
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length <= ivBytes + tagBytes) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]).toString());
      } catch {
        return undefined;
      }
    },
  };
}
