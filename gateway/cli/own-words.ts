/** Messages of the services and the API name headers and URLs. On the command line, they name its options instead. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/; GET \/api\/v1\/formats lists them all\./, "; `filemill formats` lists them all."],
  [/; name it with `\?from=<format>`\./, "; add --from FORMAT."],
  [/; send it in the header X-Input-Password\./, "; add --password-file FILE."],
  [
    /Send the file again, with the password for the result in X-Output-Password\./,
    "Add --protect-file FILE with the password for the result.",
  ],
  [/ \(DELETE \/api\/v1\/jobs\/\{id\}, or on the page \/jobs\)/, " (filemill jobs delete ID)"],
  [/\bX-Input-Password\b/, "--password-file"],
  [/\bX-Output-Password\b/, "--protect-file"],
  [/Send your API key in the header `Authorization: Bearer <key>`\./, "Set FILEMILL_API_KEY to your key."],
  [/^The Authorization header must read `Bearer <key>`.*$/, "FILEMILL_API_KEY holds no key."],
  [/^There is no key after `Bearer`.*$/, "FILEMILL_API_KEY holds no key."],
];

/** An option as it appears in a message: `pages=all`. */
const namedOption = /`([a-z]+=[^`\s]+)`/g;

export function inOwnWords(message: string): string {
  return replacements.reduce((text, [theirs, ours]) => text.replace(theirs, ours), message).replace(namedOption, "--opt $1");
}
