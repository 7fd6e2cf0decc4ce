/** Callers who lose their permission during a conversion. */
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { FilemillError, toConnectError } from "#contract/errors.ts";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { bodyOf, filePart, headOf, openRaw, toPart } from "#test/gateway/raw-client.ts";
import { png } from "#test/gateway/samples.ts";
import { auth, formOf, key, neverEnds, openStage, type Script } from "#test/gateway/stage.ts";

const body = bodyOf([toPart("webp"), filePart(png)]);
const whole = Buffer.concat([Buffer.from(headOf(key, [`Content-Length: ${body.length}`])), body]);

/** A stage with a single key, which can be revoked. */
async function openGuarded(script?: Script) {
  const door = { isRevoked: false, asked: 0 };
  const transport = createRouterTransport(({ service }) => {
    service(AccountService, {
      verifyKey() {
        door.asked += 1;
        if (door.isRevoked) throw toConnectError(new FilemillError("API_KEY_REVOKED", "This key was revoked; make a new one."));
        return {
          account: { id: "account1", email: "a@example.org", plan: "plus" },
          plan: { id: "plus", apiAccess: true, maxInputMb: 5, requestsPerMinute: 100, maxUnfinishedJobs: 20, retentionSeconds: 60 },
        };
      },
    });
  });
  const deps = { accounts: createClient(AccountService, transport) };
  return { door, stage: await openStage({ deps, ...(script === undefined ? {} : { script }) }) };
}

it("a key revoked during its upload creates no job", async () => {
  const { door, stage } = await openGuarded();
  await using _ = stage;
  const client = await openRaw(stage.port);
  client.send(whole.subarray(0, -40));
  await expect.poll(() => door.asked).toBeGreaterThan(1);
  door.isRevoked = true;
  expect(await client.answer()).toMatchObject({ status: 401, body: expect.stringContaining("API_KEY_REVOKED") });
  expect(stage.created).toEqual([]);
  await expect.poll(() => stage.stored()).toEqual([]);
  client.socket.destroy();
});

it("a key revoked while its conversion is running gets 401", async () => {
  const { door, stage } = await openGuarded(neverEnds);
  await using _ = stage;
  const answer = fetch(`${stage.url}/api/v1/convert`, { method: "POST", headers: auth, body: formOf("webp", png) });
  await expect.poll(() => stage.created.length).toBe(1);
  door.isRevoked = true;
  expect((await answer).status).toBe(401);
});

it("a quick conversion verifies its key only once", async () => {
  const { door, stage } = await openGuarded();
  await using _ = stage;
  expect((await fetch(`${stage.url}/api/v1/convert`, { method: "POST", headers: auth, body: formOf("webp", png) })).status).toBe(200);
  expect(door.asked).toBe(1);
});
