import { once } from "node:events";
import { connect, type Socket } from "node:net";

export type RawAnswer = { readonly status: number; readonly headers: Record<string, string>; readonly body: string; readonly text: string };

export type RawClient = {
  readonly socket: Socket;
  send(bytes: string | Buffer): void;
  /** Everything received until `enough` holds or the server closes the connection. */
  until(enough: (text: string) => boolean): Promise<string>;
  /** The next complete answer that has a Content-Length. */
  answer(): Promise<RawAnswer>;
};

/** A client that sends exact bytes, for requests that no HTTP library would make. @param localAddress - Any of 127.0.0.0/8. */
export async function openRaw(port: number, localAddress = "127.0.0.1"): Promise<RawClient> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  await once(socket, "connect");
  let received = "";
  let closed = false;
  const wake = new Set<() => void>();
  const stir = (): void => {
    for (const resolve of wake) resolve();
  };
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
    stir();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
    stir();
  });
  const until = async (enough: (text: string) => boolean): Promise<string> => {
    while (!enough(received) && !closed) await new Promise<void>((resolve) => wake.add(resolve));
    return received;
  };
  return {
    socket,
    send: (bytes) => socket.write(bytes),
    until,
    async answer() {
      await until(isWhole);
      const answer = parseAnswer(received);
      received = received.slice(answer.text.length);
      return answer;
    },
  };
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return length === undefined || text.length >= end + 4 + Number(length);
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) headers[line.slice(0, line.indexOf(":")).toLowerCase()] = line.slice(line.indexOf(":") + 1).trim();
  const whole = text.slice(0, end + 4 + Number(headers["content-length"] ?? 0));
  return { status: Number(first.split(" ")[1]), headers, body: whole.slice(end + 4), text: whole };
}

export type Part = { readonly head: string; readonly body: string | Uint8Array };

export const toPart = (value: string): Part => ({ head: 'Content-Disposition: form-data; name="to"', body: value });
export const filePart = (content: string | Uint8Array, name = "a.png", field = "file"): Part => ({
  head: `Content-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: image/png`,
  body: content,
});

/** A multipart body as sent on the wire. */
export function bodyOf(parts: readonly Part[], end = "--XX--\r\n"): Buffer {
  const pieces = parts.map((part) =>
    Buffer.concat([Buffer.from(`--XX\r\n${part.head}\r\n\r\n`), Buffer.from(part.body), Buffer.from("\r\n")]),
  );
  return Buffer.concat([...pieces, Buffer.from(end)]);
}

/** The head of POST /convert; `extra` lines are appended and replace nothing. */
export function headOf(key: string, extra: readonly string[], query = "", contentType = "multipart/form-data; boundary=XX"): string {
  const lines = [
    `POST /api/v1/convert${query} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${key}`,
    `Content-Type: ${contentType}`,
  ];
  return `${[...lines, ...extra].join("\r\n")}\r\n\r\n`;
}
