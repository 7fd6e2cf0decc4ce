import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { FilemillError, fromConnectError } from "#contract/errors.ts";
import { CatalogueService, PlanSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { openLog } from "#kit/log.ts";
import { localTransport } from "#kit/rpc/local-transport.ts";

const log = openLog("fatal");
const clientOf = (routes: (router: ConnectRouter) => void) => createClient(CatalogueService, localTransport(routes, log));

async function failureOf(work: Promise<unknown>): Promise<ConnectError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ConnectError) return error;
  throw new TypeError("no ConnectError");
}

test("neither side can change a message that the other one keeps", async () => {
  const kept = create(PlanSchema, { from: "png", hops: [{ engine: "sharp" }] });
  const client = clientOf((router) => router.service(CatalogueService, { planRoute: () => ({ plan: kept }) }));
  const { plan } = await client.planRoute({});
  expect(() => Object.assign(plan ?? {}, { from: "gif" })).toThrow(TypeError);
  expect(() => plan?.hops.push(...kept.hops)).toThrow(TypeError);
  expect(() => Object.assign(plan?.hops[0] ?? {}, { engine: "none" })).toThrow(TypeError);
  expect(kept).toMatchObject({ from: "png", hops: [{ engine: "sharp" }] });
});

test("a handler cannot change its request", async () => {
  const options = { quality: "80" };
  const client = clientOf((router) =>
    router.service(CatalogueService, {
      planRoute(request) {
        request.options.quality = "1";
        return {};
      },
    }),
  );
  expect((await failureOf(client.planRoute({ options }))).code).toBe(Code.Internal);
  expect(options).toEqual({ quality: "80" });
});

test("neither side can change a streamed message", async () => {
  const seen: boolean[] = [];
  const client = createClient(
    ConversionService,
    localTransport(
      (router) =>
        router.service(ConversionService, {
          async *convert(requests) {
            for await (const request of requests) seen.push(Object.isFrozen(request));
            yield {};
          },
        }),
      log,
    ),
  );
  const asked = (async function* () {
    yield {};
  })();
  for await (const answer of client.convert(asked)) seen.push(Object.isFrozen(answer));
  expect(seen).toEqual([true, true]);
});

test("a handler sees the deadline and headers, and its response headers arrive", async () => {
  let leftMs: number | undefined;
  let asked: string | null = "";
  const client = clientOf((router) =>
    router.service(CatalogueService, {
      planRoute(_request, context) {
        leftMs = context.timeoutMs();
        asked = context.requestHeader.get("x-asked");
        context.responseHeader.set("x-answered", "yes");
        return {};
      },
    }),
  );
  let answered: string | null = "";
  await client.planRoute(
    {},
    { timeoutMs: 60_000, headers: { "x-asked": "so" }, onHeader: (header) => (answered = header.get("x-answered")) },
  );
  expect(leftMs).toBeGreaterThan(1000);
  expect(leftMs).toBeLessThanOrEqual(60_000);
  expect([asked, answered]).toEqual(["so", "yes"]);
});

test("a handler's signal aborts only after its call has ended", async () => {
  const signals: AbortSignal[] = [];
  const fired: boolean[] = [];
  const client = clientOf((router) =>
    router.service(CatalogueService, {
      planRoute(_request, { signal }) {
        signals.push(signal);
        fired.push(signal.aborted);
        return {};
      },
    }),
  );
  await client.planRoute({});
  expect(fired).toEqual([false]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test("a call that is already cancelled never reaches the handler", async () => {
  let calls = 0;
  const client = clientOf((router) =>
    router.service(CatalogueService, {
      planRoute: () => {
        calls += 1;
        return {};
      },
    }),
  );
  expect((await failureOf(client.planRoute({}, { signal: AbortSignal.abort(new Error("gone")) }))).code).toBe(Code.Canceled);
  expect((await failureOf(client.planRoute({}, { timeoutMs: 0 }))).code).toBe(Code.DeadlineExceeded);
  expect(calls).toBe(0);
});

test("an error arrives without its cause, as over the network", async () => {
  const client = clientOf((router) =>
    router.service(CatalogueService, {
      planRoute() {
        throw new FilemillError("UNAVAILABLE", "Later.", { retryAfterMs: 700, cause: new Error("secret") });
      },
    }),
  );
  const error = await failureOf(client.planRoute({}));
  expect(error.cause).toBeUndefined();
  expect(fromConnectError(error)).toMatchObject({ code: "UNAVAILABLE", message: "Later.", retryAfterMs: 700 });
});

test("a method without a handler is unimplemented", async () => {
  expect((await failureOf(clientOf(() => undefined).planRoute({}))).code).toBe(Code.Unimplemented);
  expect((await failureOf(clientOf((router) => router.service(CatalogueService, {})).planRoute({}))).code).toBe(Code.Unimplemented);
});
