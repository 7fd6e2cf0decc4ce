/** Converts a container's definition in a Compose file to arguments of `docker run`, so that the file itself is tested. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";

type Service = {
  readonly user: string;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly read_only: boolean;
  readonly tmpfs: readonly string[];
  readonly pids_limit: number;
};

export async function flagsOf(file: string, name: string): Promise<string[]> {
  const { services }: { services: Record<string, Service> } = parse(await readFile(file, "utf8"));
  const service = services[name];
  if (service === undefined) throw new Error(`${file} has no service ${name}`);
  const options = service.security_opt.map((option) => {
    const profile = /^seccomp[:=](.+)$/.exec(option)?.[1];
    return profile === undefined ? option : `seccomp=${resolve(dirname(file), profile)}`;
  });
  return [
    ...["--user", service.user],
    ...service.cap_drop.flatMap((name) => ["--cap-drop", name]),
    ...options.flatMap((option) => ["--security-opt", option]),
    ...(service.read_only ? ["--read-only"] : []),
    ...service.tmpfs.flatMap((place) => ["--tmpfs", place]),
    ...["--pids-limit", String(service.pids_limit)],
  ];
}
