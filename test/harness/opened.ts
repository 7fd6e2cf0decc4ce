import { afterAll, beforeAll } from "vitest";

/** What `open` opens, for the tests of this file, or of the `describe` that calls this. It exists from the first test on. */
export function opened<T extends AsyncDisposable>(open: () => Promise<T>): T {
  let it: T;
  beforeAll(async () => {
    it = await open();
  });
  afterAll(() => it[Symbol.asyncDispose]());
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(it, name),
    // For `...` and destructuring.
    ownKeys: () => Reflect.ownKeys(it),
    getOwnPropertyDescriptor: (_, name) => ({ ...Reflect.getOwnPropertyDescriptor(it, name), configurable: true }),
  });
}
