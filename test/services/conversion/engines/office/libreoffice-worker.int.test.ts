import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { pythonPath, workerFiles } from "#services/conversion/engines/office/libreoffice-pool.ts";
import { openBench } from "#test/contract/engine.ts";

it("leaves no office behind when nobody talks to it any more", async () => {
  await using bench = await openBench(libreofficeEngine, 0);
  const worker = "/usr/bin/python3 -S -u /engine/worker.py";
  const question = `echo '{"ready":true}' | ${worker} && for look in $(seq 100); do grep -q soffice /proc/[0-9]*/comm || exit 0; sleep 0.1; done; exit 7`;
  const end = await bench.sandbox.run({
    ...{ program: "/bin/sh", args: ["-c", question], env: pythonPath },
    readOnly: workerFiles,
    limits: { wallMs: 150_000, cpuSeconds: 100, addressSpace: false, processes: 128, openFiles: 512, memoryBytes: 1536 * 2 ** 20 },
  });
  expect([end.stdout.trim(), end.exitCode]).toEqual(['{"ready": true}', 0]);
});
