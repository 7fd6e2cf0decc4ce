import { afterEach, expect, it, vi } from "vitest";
import { storedText, storeText } from "#client/parts/storage.ts";

afterEach(() => void vi.unstubAllGlobals());

function blockStorage(): void {
  vi.stubGlobal("localStorage", undefined);
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    get() {
      throw new DOMException("The operation is insecure.", "SecurityError");
    },
  });
}

it("sets up the page if storage is blocked", async () => {
  blockStorage();
  const classes: string[] = [];
  const listeners: string[] = [];
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("document", {
    documentElement: { dataset: {}, classList: { add: (name: string) => void classes.push(name) } },
    addEventListener: (name: string) => void listeners.push(name),
  });
  await import("#client/theme.ts");
  expect({ classes, listeners }).toEqual({ classes: ["scripted"], listeners: ["DOMContentLoaded"] });
});

it("reads null and does not throw if storage is blocked", () => {
  blockStorage();
  storeText("filemill.language", "python");
  expect(storedText("filemill.language")).toBeNull();
});
