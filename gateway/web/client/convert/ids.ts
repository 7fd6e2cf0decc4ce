/** A new random id. `crypto.randomUUID` would do, but browsers have it over HTTPS and on this machine only. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
