import { expect, it } from "vitest";
import { describeSandboxes, openHost } from "./host.ts";

describeSandboxes("the %s sandbox", (mode) => {
  it("lets others go first when it is told to, and nobody else", async () => {
    await using host = await openHost(mode);
    const niceness = async (limits: { niceness?: number }): Promise<string> =>
      (await host.sandbox.run({ program: "/usr/bin/nice", args: [], limits })).stdout.trim();
    expect(await niceness({ niceness: 7 })).toBe("7");
    expect(await niceness({})).toBe("0");
  });
});
