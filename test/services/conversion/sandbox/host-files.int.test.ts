import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { describeSandboxes, openHost } from "./host.ts";

describeSandboxes("the %s sandbox", (mode) => {
  it("has the host's font and alternatives configuration, read-only", async () => {
    await using host = await openHost(mode);
    const shell = async (script: string): Promise<string> => (await host.sandbox.run({ program: "/bin/sh", args: ["-c", script] })).stdout;
    const names = await readdir("/etc/alternatives");
    // Manual pages are not copied.
    const alternatives = names.filter((name) => mode === "degraded" || !name.endsWith(".gz")).length;
    const fonts = await readFile("/etc/fonts/fonts.conf", "utf8");
    expect(await shell("cat /etc/fonts/fonts.conf; ls /etc/alternatives | wc -l")).toBe(`${fonts}${alternatives}\n`);
    expect(await shell("for each in /etc/fonts/x /var/x /etc/alternatives/x; do touch $each && echo $each; done")).toBe("");
    if (mode === "full") expect(await shell("ls /etc | wc -l; ls /var")).toMatch(/^\d\ncache\nlib\n$/);
  });
});
