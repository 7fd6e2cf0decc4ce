/** The curl command that Filemill shows wherever it explains how to convert a file from a shell. */

type CurlCall = {
  readonly baseUrl: string;
  /** A key, or the shell variable that holds one. */
  readonly key?: string;
  readonly to?: string;
  readonly file?: string;
  readonly result?: string;
  /** Conversion options, in query string syntax. */
  readonly options?: string;
};

/**
 * curl with the flags for writing a result to a file. `-f` keeps error responses out of the file and exits with 22. `-w` prints the reason
 * (curl 7.84 or newer; older versions print only the status). `-L` follows the redirects of a slow conversion, one every 50 seconds.
 */
export const curlToFile = `curl -fsSL --max-redirs -1 -w "%{onerror}%{stderr}%header{x-error}\\n"`;

/**
 * A command that writes the converted file, however long it takes. If it fails, it writes no file, prints a message and exits with a
 * non-zero code.
 *
 * @returns the parts of the command; join them with a space, or with a backslash and a line break
 */
function curlParts({ baseUrl, key = "$FILEMILL_API_KEY", to = "webp", file = "photo.jpg", ...rest }: CurlCall): readonly string[] {
  const { result = "photo.webp", options = "" } = rest;
  return [
    curlToFile,
    `-H "Authorization: Bearer ${key}"`,
    `-F to=${to} -F file=@${file} -o ${result}`,
    `"${baseUrl}/api/v1/convert?${options === "" ? "" : `${options}&`}download=wait"`,
  ];
}

/** The command on one line. */
export function curlLine(call: CurlCall): string {
  return curlParts(call).join(" ");
}

/** The command on several lines, for narrow places. */
export function curlBlock(call: CurlCall): string {
  return curlParts(call).join(" \\\n  ");
}
