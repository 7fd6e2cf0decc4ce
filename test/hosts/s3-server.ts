/** A complete Ceph on this host, as packaged by Debian: monitor, in-memory storage, and its S3 gateway. Starts in about 15 s. */
import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { findCommand } from "#gateway/setup/system-packages.mjs";
import { freePorts } from "#test/faults/deployment.ts";
import { type Keeper, keep } from "#test/faults/keeper.ts";

const run = promisify(execFile);
const programs = ["ceph-mon", "ceph-osd", "radosgw"];

export type S3Server = AsyncDisposable & {
  /** Settings for clients that store blobs there. */
  readonly env: Readonly<Record<"BLOBS" | "S3_ENDPOINT" | "S3_REGION" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY", string>>;
  readonly gateway: Keeper;
};

/** @param address - Of this host, where the S3 gateway listens. */
export async function openS3Server(home: string, address = "127.0.0.1"): Promise<S3Server> {
  const missing = programs.filter((program) => findCommand(program) === undefined);
  if (missing.length > 0) throw new Error(`Not here: ${missing.join(", ")}. apt-get install --no-install-recommends ${programs.join(" ")}`);
  await using stack = new AsyncDisposableStack();
  for (const name of ["mon", "osd"]) mkdirSync(join(home, name), { recursive: true });
  stack.defer(() => rm(home, { recursive: true, force: true }));
  const [port = 0, v2 = 0, v1 = 0, osdFirst = 0] = await freePorts(4);
  const monitor = `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`;
  const fsid = randomUUID();
  const config = join(home, "ceph.conf");
  const keys = { access: randomBytes(10).toString("hex"), secret: randomBytes(20).toString("hex") };
  await writeFile(config, configText({ home, fsid, monitor, osdFirst, endpoint: `${address}:${port}` }));
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  const ceph = (program: string, ...args: string[]) => run(program, ["-c", config, ...args], { env, timeout: 60_000 });
  const start = (name: string, ...command: [string, ...string[]]): Keeper =>
    stack.use(keep({ name, command: [command[0], "-c", config, ...command.slice(1), "-f"], env, logFile: join(home, `${name}.out`) }));

  // Never used, but radosgw does not start without one.
  await run("ceph-authtool", ["--create-keyring", join(home, "keyring"), "--gen-key", "-n", "client.admin"], { env });
  const map = join(home, "monmap");
  await ceph("monmaptool", "--create", "--addv", "a", monitor, "--fsid", fsid, map);
  await ceph("ceph-mon", "--mkfs", "-i", "a", "--monmap", map);
  start("monitor", "ceph-mon", "-i", "a");
  const osd = randomUUID();
  await ceph("ceph", "--connect-timeout", "30", "osd", "new", osd);
  await ceph("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd);
  start("storage", "ceph-osd", "-i", "0");
  const user = ["--uid", "filemill", "--display-name", "filemill", "--access-key", keys.access, "--secret-key", keys.secret];
  await ceph("radosgw-admin", "user", "create", ...user);
  const gateway = start("radosgw", "radosgw", "-n", "client.admin");
  const server = {
    BLOBS: "s3://filemill/blobs",
    S3_ENDPOINT: `http://${address}:${port}`,
    S3_REGION: "us-east-1",
    S3_ACCESS_KEY_ID: keys.access,
    S3_SECRET_ACCESS_KEY: keys.secret,
  };
  await makeBucket(server);
  const owned = stack.move();
  return { env: server, gateway, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function makeBucket({ S3_ENDPOINT, S3_REGION, ...keys }: S3Server["env"]): Promise<void> {
  const credentials = { accessKeyId: keys.S3_ACCESS_KEY_ID, secretAccessKey: keys.S3_SECRET_ACCESS_KEY };
  const client = new S3Client({ endpoint: S3_ENDPOINT, region: S3_REGION, forcePathStyle: true, credentials });
  for (let tries = 1; ; tries += 1) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: "filemill" }));
      return;
    } catch (error) {
      if (tries === 120) throw error;
      await sleep(500);
    }
  }
}

type Place = {
  readonly home: string;
  readonly fsid: string;
  readonly monitor: string;
  readonly osdFirst: number;
  readonly endpoint: string;
};

function configText({ home, fsid, monitor, osdFirst, endpoint }: Place): string {
  return `[global]
fsid = ${fsid}
mon host = ${monitor}
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
ms mon service mode = crc
ms mon cluster mode = crc
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 4294967296
mon allow pool size one = true
mon data = ${home}/mon
osd data = ${home}/osd
keyring = ${home}/keyring
run dir = ${home}
admin socket = ${home}/$name.sock
log file = ${home}/$name.log
ms bind port min = ${osdFirst}
ms bind port max = ${osdFirst + 60}
rgw frontends = beast endpoint=${endpoint}
rgw enable usage log = false
rgw thread pool size = 64
`;
}
