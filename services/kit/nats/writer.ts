import { ErrorCode, headers, type Msg, NatsError } from "nats";
import { type Link, requestTimeoutMs } from "./link.ts";

/**
 * Compare-and-set into a stream. The client's own publish creates a timer, an error and several promises for each message, which together
 * take as long as the broker's answer. Here, one subscription and one timer serve all messages.
 */
export type Writer = {
  /**
   * Resolves with the message's sequence when the broker has stored it. Rejects as the client does, with Interrupted if the connection
   * was lost.
   *
   * @param expected - Sequence of the last message on the subject; 0: there is none.
   */
  write(subject: string, bytes: Uint8Array, expected: number): Promise<number>;
};

type Waiting = { readonly resolve: (sequence: number) => void; readonly reject: (error: unknown) => void; readonly sentAtMs: number };

const lookMs = 100;

export function openWriter({ nc, newInbox, onLost }: Pick<Link, "nc" | "newInbox" | "onLost">): Writer {
  const waiting = new Map<string, Waiting>();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  const take = (token: string): Waiting | undefined => {
    const found = waiting.get(token);
    waiting.delete(token);
    if (waiting.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    return found;
  };
  const look = (): void => {
    const now = performance.now();
    for (const [token, { sentAtMs }] of waiting) {
      if (now - sentAtMs < requestTimeoutMs) return;
      take(token)?.reject(NatsError.errorForCode(ErrorCode.Timeout));
    }
  };
  const prefix = `${newInbox()}.`;
  nc.subscribe(`${prefix}*`, {
    callback: (_error, message) => {
      const waits = take(message.subject.slice(prefix.length));
      if (waits === undefined) return;
      const answer = answerOf(message);
      if (typeof answer === "number") waits.resolve(answer);
      else waits.reject(answer);
    },
  });
  onLost((lost) => {
    for (const token of [...waiting.keys()]) take(token)?.reject(lost);
  });

  return {
    write: (subject, bytes, expected) =>
      new Promise((resolve, reject) => {
        count += 1;
        const token = count.toString(36);
        const header = headers();
        header.set("Nats-Expected-Last-Subject-Sequence", String(expected));
        // Throws if the connection is closed, which rejects the promise.
        nc.publish(subject, bytes, { reply: prefix + token, headers: header });
        waiting.set(token, { resolve, reject, sentAtMs: performance.now() });
        timer ??= setInterval(look, lookMs);
      }),
  };
}

/** The sequence, or the error that the client would make of it. */
function answerOf(message: Msg): number | NatsError {
  if (message.headers?.code === 503) return NatsError.errorForCode(ErrorCode.NoResponders);
  const { seq, error } = message.json<{ seq?: number; error?: NonNullable<NatsError["api_error"]> }>();
  if (error === undefined && typeof seq === "number") return seq;
  const refusal = new NatsError(error?.description ?? "not an acknowledgement", String(error?.code ?? ErrorCode.Unknown));
  if (error !== undefined) refusal.api_error = error;
  return refusal;
}
