/** Whatever was answered with 200 outlives the process that answered, also when it dies before the end of the job is on record (decision 30). */
import { once } from "node:events";
import { expect, it } from "vitest";
import { call, jobIn, jobOf, post } from "#test/harness/rest.ts";
import { startServer } from "#test/harness/server.ts";

const rounds = 4;

it("a job that was answered as done is done after a kill in that moment, with its result", async () => {
  await using stack = new AsyncDisposableStack();
  // What a dead process held is taken over after this long.
  let server = stack.use(await startServer({ LEASE_MS: "1000" }));
  for (let round = 0; round < rounds; round += 1) {
    const answer = await post(server);
    server.child.kill("SIGKILL");
    const ended = once(server.child, "exit");
    expect(answer.status).toBe(200);
    const { id, status } = await jobOf(answer);
    expect(status).toBe("done");
    await ended;
    server = stack.use(await server.restart());
    await expect.poll(async () => (await jobIn(server, id)).status, { timeout: 30_000 }).toBe("done");
    const result = Buffer.from(await (await call(server, `/api/v1/jobs/${id}/download`)).arrayBuffer());
    expect(result.subarray(8, 12).toString("latin1")).toBe("WEBP");
  }
});
