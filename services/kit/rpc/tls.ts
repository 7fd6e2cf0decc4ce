/** TLS 1.3 between hosts. Each side shows a certificate signed by the same authority. */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { SettingError } from "../config.ts";
import type { Settings } from "../settings.ts";

/** PEM texts: the authority that signs the other hosts' certificates, and this process's own certificate and key. */
export type RpcTls = { readonly ca: string; readonly cert: string; readonly key: string };

type TlsSettings = Pick<Settings, "RPC_CA" | "RPC_CERT" | "RPC_KEY">;
const names = ["RPC_CA", "RPC_CERT", "RPC_KEY"] as const;

/** Undefined if none of the three is set. Rejects with a SettingError that names what is missing, unreadable or invalid. */
export async function readRpcTls(settings: TlsSettings): Promise<RpcTls | undefined> {
  const missing = names.filter((name) => settings[name] === undefined);
  if (missing.length === names.length) return undefined;
  if (missing.length > 0) throw new SettingError(`${names.join(", ")} must be set together; missing: ${missing.join(" and ")}.`);
  const [ca = "", cert = "", key = ""] = await Promise.all(names.map((name) => contentOf(name, settings[name] ?? "")));
  try {
    createSecureContext({ ca, cert, key });
    new X509Certificate(cert);
    new X509Certificate(ca);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SettingError(`RPC_CA and RPC_CERT must be PEM certificates, and RPC_KEY the private key of RPC_CERT (${why}).`, { cause });
  }
  return { ca, cert, key };
}

async function contentOf(name: string, path: string): Promise<string> {
  return readFile(resolve(path), "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new SettingError(`${name} names ${path}, which cannot be read (${cause.code ?? "unknown"}).`, { cause });
  });
}
