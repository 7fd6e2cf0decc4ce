/** Metrics of what all services share, for operators. Measured when they are read. */
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { Gauge, type Registry } from "prom-client";
import { bytesUnder } from "./nats/server-config.ts";
import type { Probe } from "./probe.ts";
import type { Service } from "./service.ts";

export function measureFloor(register: Registry, dataDir: string): void {
  const registers = [register];
  new Gauge({
    name: "filemill_disk_bytes",
    help: "Disk of DATA_DIR: space available to Filemill, and in total",
    labelNames: ["of"],
    registers,
    async collect() {
      const { bavail, blocks, bsize } = await statfs(dataDir);
      this.set({ of: "free" }, bavail * bsize);
      this.set({ of: "size" }, blocks * bsize);
    },
  });
  new Gauge({
    name: "filemill_broker_store_bytes",
    help: "Disk space used by the embedded broker; 0 if NATS_URL is set",
    registers,
    async collect() {
      this.set(await bytesUnder(join(dataDir, "nats", "store")));
    },
  });
}

/** 1 for each part whose last round trip succeeded. */
export function measureProbes(register: Registry, probes: () => readonly Probe[]): void {
  new Gauge({
    name: "filemill_part_well",
    help: "1 if the last round trip through the part succeeded (broker, blobs, scratch, sandbox, inspectors), otherwise 0",
    labelNames: ["part"],
    registers: [register],
    async collect() {
      for (const probe of probes()) this.set({ part: probe.part }, (await probe.isWell()) ? 1 : 0);
    },
  });
}

/** Progress of proving on this machine, if it proves conversions itself. */
export function measureProving(register: Registry, services: readonly Pick<Service, "readiness">[]): void {
  new Gauge({
    name: "filemill_proving_conversions",
    help: "Conversions being proven on this machine: done, and in total; 0 if there are none to prove",
    labelNames: ["of"],
    registers: [register],
    collect() {
      const proving = services.map((service) => service.readiness().proving).find((each) => each !== undefined);
      this.set({ of: "done" }, proving?.done ?? 0);
      this.set({ of: "all" }, proving?.of ?? 0);
    },
  });
}
