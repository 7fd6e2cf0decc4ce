// Health check of the container: exits with 0 if Filemill accepts conversions.
// @ts-check
import process from "node:process";

const response = await fetch(`http://127.0.0.1:${process.env.PORT ?? 8080}/readyz`).catch(() => undefined);
process.exitCode = response?.ok === true ? 0 : 1;
