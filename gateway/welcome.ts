import { curlLine } from "./curl-line.ts";

type Running = {
  readonly restUrl: string;
  readonly rpcUrl: string;
  readonly first: { readonly key: string; readonly linkToken: string } | undefined;
};

/**
 * The text that `npm start` prints once everything is running.
 *
 * @param publicUrl - The URL that people use, if it differs from the listening address.
 */
export function welcomeText({ restUrl, rpcUrl, first }: Running, publicUrl: string | undefined): string {
  const url = publicUrl ?? restUrl;
  const lines = [
    "",
    `Filemill is ready.   ${url}/`,
    `Keys and account     ${url}/automate`,
    `For operators        ${url}/operate`,
    `API reference        ${url}/docs`,
    `Formats              ${url}/api/v1/formats`,
    `Internal services    ${rpcUrl} (Connect, gRPC, gRPC-Web)`,
    "",
  ];
  if (first !== undefined) {
    lines.push(
      "Begin here: this link signs you in as the operator (it works once, within 24 hours; create more with `npm run -s filemill -- accounts link EMAIL`):",
      "",
      `  ${signInLinkOf(url, first.linkToken)}`,
      "",
      "The operator's API key (shown only once; create more with `npm run -s filemill -- keys create EMAIL`):",
      "",
      `  ${first.key}`,
      "",
    );
  }
  lines.push("Try it:", "", `  ${curlLine({ baseUrl: url, ...(first === undefined ? {} : { key: first.key }) })}`, "");
  return lines.join("\n");
}

/** The token is in the fragment, which browsers never send, so it appears in no log and no Referer. */
function signInLinkOf(url: string, token: string): string {
  return `${url}/operate#link=${token}`;
}
