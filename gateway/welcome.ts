import { curlLine } from "./curl-line.ts";

type Running = {
  readonly restUrl: string;
  readonly rpcUrl: string;
  readonly first: { readonly key: string; readonly linkToken: string } | undefined;
};

/** What `npm start` prints once everything is up. @param publicUrl - Where people reach it, when that is not where it listens. */
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
      "Begin here: signs you in as the operator (works once, within 24 hours; make more with `npm run -s filemill -- accounts link EMAIL`):",
      "",
      `  ${signInLinkOf(url, first.linkToken)}`,
      "",
      "Its API key (shown this once; make more with `npm run -s filemill -- keys create EMAIL`):",
      "",
      `  ${first.key}`,
      "",
    );
  }
  lines.push("Try it:", "", `  ${curlLine({ baseUrl: url, ...(first === undefined ? {} : { key: first.key }) })}`, "");
  return lines.join("\n");
}

/** The token stands in the fragment, which browsers send to nobody: it comes into no log and no Referer. */
function signInLinkOf(url: string, token: string): string {
  return `${url}/operate#link=${token}`;
}
