/** A new random id. `crypto.randomUUID` is available only over HTTPS and on localhost. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
