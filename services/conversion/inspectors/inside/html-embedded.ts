/** Takes large pictures out of a page, for which Pandoc would need more memory than it may use. */

/** Attributes before `src` are short. */
const start = /<img\s(?:[^<>]{0,1000}\s)?src=(["'])data:image\/[\w.+-]{1,40};base64,/gi;
const fewest = 2000;

/** Each becomes `filemill-<place>-<length>`, which the filter resolves (see pandoc-embedded.lua). Equal pictures have one place. */
export function withoutEmbedded(page: string): string {
  const places = new Map<string, number>();
  let [made, read] = ["", 0];
  for (const { 0: tag, 1: quote = "", index } of page.matchAll(start)) {
    const place = index + tag.length;
    const letters = page.slice(place, page.indexOf(quote, place));
    // Anything else would come back as it is, such as a quotation mark that ends the attribute.
    if (letters.length < fewest || /[^A-Za-z\d+/=\s]/.test(letters) || !tag.endsWith(";base64,")) continue;
    const first = places.get(letters) ?? place;
    places.set(letters, first);
    made += `${page.slice(read, place)}filemill-${first}-${letters.length}`;
    read = place + letters.length;
  }
  return made + page.slice(read);
}
