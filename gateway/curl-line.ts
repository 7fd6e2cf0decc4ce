/** The one way in which Filemill shows how to convert a file from a shell. */

type CurlCall = {
  readonly baseUrl: string;
  /** A key, or the shell's variable that holds one. */
  readonly key?: string;
  readonly to?: string;
  readonly file?: string;
  readonly result?: string;
  /** Options of the conversion, as in a query string. */
  readonly options?: string;
};

/**
 * Curl as it is to write a file: `-f` keeps every refusal out of the file and exits with 22, `-w` shows its reason (curl 7.84 or newer;
 * older ones show the status alone), `-L` follows the redirects that lead to a result which takes longer, one in 50 seconds.
 */
export const curlToFile = `curl -fsSL --max-redirs -1 -w "%{onerror}%{stderr}%header{x-error}\\n"`;

/**
 * A command that leaves the converted file, however long it takes, or no file, a message and a non-zero exit code.
 *
 * @returns the command's parts; join them with a blank, or with a backslash and a line break
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

/** The command on several lines, where there is little room. */
export function curlBlock(call: CurlCall): string {
  return curlParts(call).join(" \\\n  ");
}
