import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { fromConnectError } from "#contract/errors.ts";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { parseSettings } from "#kit/config.ts";
import { localTransport } from "#kit/rpc/local-transport.ts";
import { settingTable } from "#kit/settings.ts";
import { openManifestBucket } from "#services/catalogue/adapters/manifests.ts";
import { formatProofFile, parseProofFile } from "#services/catalogue/domain/proof.ts";
import { createCatalogueService, openProofs } from "#services/catalogue/index.ts";
import { openTestBroker } from "#test/harness/broker.ts";
import { integerOption, manifestOf, nothingProven } from "./manifests.ts";

const sharp = { sharp: { hops: { "png>webp": { options: [integerOption("quality", 1, 100)] } } } };
const poppler = { poppler: { lane: "document", hops: { "pdf>png": {} } } };

async function openCatalogue() {
  const stack = new AsyncDisposableStack();
  const { broker, log } = stack.use(await openTestBroker());
  const bucket = await openManifestBucket(broker);
  const service = stack.use(createCatalogueService({ broker, log, proofs: nothingProven }));
  const client = createClient(
    CatalogueService,
    localTransport((router) => service.routes(router), log),
  );
  return { bucket, service, client, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function routesListed(client: Awaited<ReturnType<typeof openCatalogue>>["client"]): Promise<string[]> {
  return (await client.getCatalogue({})).routes.map((route) => `${route.from}>${route.to}`);
}

it("follows nodes as they come and go", async () => {
  await using catalogue = await openCatalogue();
  const { bucket, service, client } = catalogue;
  const early = await client.getCatalogue({}).catch(fromConnectError);
  expect(early).toMatchObject({ code: "UNAVAILABLE" });

  await bucket.put("n1", manifestOf("n1", sharp));
  await service.start();
  expect(service.readiness()).toEqual({ ready: true });
  expect(await routesListed(client)).toEqual(["png>webp"]);

  await bucket.put("n2", manifestOf("n2", poppler));
  await expect.poll(() => routesListed(client)).toEqual(["pdf>png", "pdf>webp", "png>webp"]);
  expect((await client.listManifests({})).manifests.map((manifest) => manifest.node)).toEqual(["n1", "n2"]);

  await bucket.remove("n1");
  await expect.poll(() => routesListed(client)).toEqual(["pdf>png"]);
  await bucket.remove("n2");
  await expect.poll(() => service.readiness()).toMatchObject({ ready: false, part: "engines" });
});

it("keeps its revision when a node only renews its announcement", async () => {
  await using catalogue = await openCatalogue();
  const { bucket, service, client } = catalogue;
  await bucket.put("n1", manifestOf("n1", sharp));
  await service.start();
  const { revision } = await client.getCatalogue({});
  await bucket.put("n1", { ...manifestOf("n1", sharp), announcedAt: { $typeName: "google.protobuf.Timestamp", seconds: 5n, nanos: 0 } });
  await expect.poll(async () => (await client.listManifests({})).manifests[0]?.announcedAt?.seconds).toBe(5n);
  expect((await client.getCatalogue({})).revision).toBe(revision);
});

it("plans over RPC and rejects requests with details", async () => {
  await using catalogue = await openCatalogue();
  const { bucket, service, client } = catalogue;
  await bucket.put("n1", manifestOf("n1", { ...sharp, ...poppler }));
  await service.start();
  const { plan } = await client.planRoute({ from: "pdf", to: "WEBP", options: { quality: "80" } });
  expect(plan?.hops.map((hop) => hop.engine)).toEqual(["poppler", "sharp"]);
  expect(plan?.hops[1]?.options.quality?.value).toEqual({ case: "number", value: 80 });
  expect(plan?.lane).toBe("document");

  const refused = (request: { from: string; to: string; options?: Record<string, string> }) =>
    client.planRoute(request).catch(fromConnectError);
  expect(await refused({ from: "png", to: "webp", options: { quality: "101" } })).toMatchObject({
    code: "INVALID_OPTION",
    details: { option: "quality", allowed: { type: "integer", min: 1, max: 100 } },
  });
  expect(await refused({ from: "webp", to: "png" })).toMatchObject({ code: "UNSUPPORTED_CONVERSION", details: { alternatives: [] } });
  expect(await refused({ from: "png", to: "nope" })).toMatchObject({ code: "UNSUPPORTED_TARGET", details: { to: "nope" } });
});

it("handles a manifest that exceeds the broker's message limit uncompressed", async () => {
  await using catalogue = await openCatalogue();
  const { bucket, service, client } = catalogue;
  const options = Array.from({ length: 20 }, (_, index) => integerOption(`option${index}`, 0, index, "x".repeat(100_000)));
  await bucket.put("n1", manifestOf("n1", { sharp: { hops: { "png>webp": { options } } } }));
  await service.start();
  expect((await client.getCatalogue({})).optionSets[0]?.options).toHaveLength(20);
});

it("lists routes by bundled proofs for another system, and reports what is still unproven", async () => {
  await using stack = new AsyncDisposableStack();
  const { broker, dataDir, log } = stack.use(await openTestBroker());
  const file = parseProofFile(await readFile(new URL("../../../services/catalogue/proofs/debian-13.tsv", import.meta.url), "utf8"));
  const row = file.rows.find(({ path, word, from, to }) => path === "pandoc" && word !== "failed" && from === "md" && to === "docx");
  const version = file.engines.get("pandoc") ?? "";
  const settings = parseSettings(settingTable, { DATA_DIR: dataDir });
  const hop = [{ engine: "pandoc", from: "md", to: "docx", versions: [version] }];
  expect(row).toBeDefined();
  const proofs = openProofs(settings);
  expect((await proofs.read({ otherSystems: false }))?.judge(hop)).toBe("failed");

  const bucket = await openManifestBucket(broker);
  const { engines, ...manifest } = manifestOf("n1", { pandoc: { lane: "document", hops: { "md>docx": {} } } });
  await bucket.put("n1", { ...manifest, engines: engines.map((engine) => ({ ...engine, version })) });
  const service = stack.use(createCatalogueService({ broker, log, proofs }));
  const client = createClient(
    CatalogueService,
    localTransport((router) => service.routes(router), log),
  );
  await service.start();
  expect(await routesListed(client)).toEqual(["md>docx"]);
  expect(service.readiness().unproven).toEqual(file.unfinished === true ? [`pandoc ${version}`] : undefined);
});

it("lists routes as they are proven on this machine, and reports progress", async () => {
  await using stack = new AsyncDisposableStack();
  const { broker, dataDir, log } = stack.use(await openTestBroker());
  const bucket = await openManifestBucket(broker);
  const proofs = openProofs({ ...parseSettings(settingTable, { DATA_DIR: dataDir }) });
  const service = stack.use(createCatalogueService({ broker, log, proofs }));
  const client = createClient(
    CatalogueService,
    localTransport((router) => service.routes(router), log),
  );
  await bucket.put("n1", manifestOf("n1", { unheard: sharp.sharp }));
  await service.start();
  expect(service.readiness()).toMatchObject({ ready: false, unproven: ["unheard 1"] });

  const row = { from: "png", to: "webp", path: "unheard", declared: "x", sample: "typical", word: "high", figures: {} } as const;
  const rows = [{ ...row, reader: "pillow", ms: 20, date: "2026-01-31", why: "" }];
  await writeFile(join(dataDir, "proving.json"), JSON.stringify({ done: 1, of: 7 }));
  await writeFile(join(dataDir, "proof.tsv"), formatProofFile({ engines: new Map([["unheard", "1"]]), rows }));
  await expect.poll(() => service.readiness(), { timeout: 30_000 }).toEqual({ ready: true, proving: { done: 1, of: 7 } });
  expect(await routesListed(client)).toEqual(["png>webp"]);
});
