/** An attacker who guesses a password at all gateways in turn. */
import { setTimeout as sleep } from "node:timers/promises";

const tries = 24;
/** Longer than gateways need to inform each other. */
const pauseMs = 500;

/** How many guesses were checked; the others were rejected by the rate limit. */
export async function guessedAt(urls: readonly string[]): Promise<number> {
  let looked = 0;
  for (let index = 0; index < tries; index += 1) {
    const answer = await fetch(`${urls[index % urls.length]}/web/v1/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-filemill": "1" },
      body: JSON.stringify({ email: "somebody@example.org", password: `a guess, number ${index}` }),
    });
    await answer.body?.cancel();
    if (answer.status === 401) looked += 1;
    else if (answer.status !== 429) throw new Error(`a guess was answered ${answer.status}`);
    await sleep(pauseMs);
  }
  return looked;
}
