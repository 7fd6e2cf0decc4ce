// Whether the Filemill in this container accepts conversions: its health check.
// @ts-check
import process from "node:process";

const response = await fetch(`http://127.0.0.1:${process.env.PORT ?? 8080}/readyz`).catch(() => undefined);
process.exitCode = response?.ok === true ? 0 : 1;
