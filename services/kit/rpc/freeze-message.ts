/**
 * Freezes a message and everything in it, except for bytes, which cannot be frozen. An object that is already frozen is assumed to be
 * deeply frozen.
 */
export function freezeMessage<T>(message: T): T {
  if (typeof message !== "object" || message === null || Object.isFrozen(message) || ArrayBuffer.isView(message)) return message;
  Object.freeze(message);
  for (const part of Object.values(message)) freezeMessage(part);
  return message;
}
