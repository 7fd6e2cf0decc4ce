/** Makes a message and all it holds unchangeable, but for bytes, which cannot be. What is frozen already is taken for frozen throughout. */
export function freezeMessage<T>(message: T): T {
  if (typeof message !== "object" || message === null || Object.isFrozen(message) || ArrayBuffer.isView(message)) return message;
  Object.freeze(message);
  for (const part of Object.values(message)) freezeMessage(part);
  return message;
}
