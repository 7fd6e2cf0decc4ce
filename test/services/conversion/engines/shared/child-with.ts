import type { SandboxChild } from "#services/conversion/domain/sandbox.ts";

/** The same child with some members replaced. */
export function childWith(child: SandboxChild, changed: Partial<SandboxChild>): SandboxChild {
  return new Proxy(child, {
    get(_child, name) {
      const value: unknown = Reflect.get(Reflect.has(changed, name) ? changed : child, name);
      return typeof value === "function" ? value.bind(child) : value;
    },
  });
}
