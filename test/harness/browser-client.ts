/** What a Filemill page does in a browser, as far as cookies and headers are concerned. */
export type BrowserClient = {
  /** Cookies to send, by name. */
  readonly cookies: Map<string, string>;
  /** Sent with every request. */
  readonly headers: Map<string, string>;
  /** Every Set-Cookie header so far, unparsed. */
  readonly setCookies: string[];
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Submits an ordinary form. */
  submit(path: string, fields: Readonly<Record<string, string>>): Promise<Answer>;
  /** POST /web/v1/convert. */
  convert(to: string, file: Uint8Array<ArrayBuffer>, name: string, query?: string): Promise<Answer>;
};

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds, and fails on what it does not.
export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: any };

export function openBrowserClient(url: string): BrowserClient {
  const cookies = new Map<string, string>();
  const always = new Map<string, string>();
  const setCookies: string[] = [];
  const send = async (method: string, path: string, init: RequestInit): Promise<Answer> => {
    const headers = new Headers(init.headers);
    for (const [name, value] of always) headers.set(name, value);
    if (cookies.size > 0) headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const answer = await fetch(url + path, { ...init, method, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      setCookies.push(line);
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await answer.text();
    const isJson = /json/.test(answer.headers.get("content-type") ?? "");
    return { status: answer.status, headers: answer.headers, text, json: isJson ? JSON.parse(text) : undefined };
  };
  const ours = { "x-filemill": "1", origin: url, "sec-fetch-site": "same-origin" };
  return {
    cookies,
    headers: always,
    setCookies,
    ask: (method, path, body, headers = {}) =>
      send(method, path, {
        headers: { ...ours, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    submit: (path, fields) => send("POST", path, { body: new URLSearchParams(fields) }),
    convert(to, file, name, query = "") {
      const form = new FormData();
      form.append("to", to);
      form.append("file", new File([file], name));
      return send("POST", `/web/v1/convert${query}`, { headers: ours, body: form });
    },
  };
}
