/** Unicode characters for the signs of symbol fonts. @see https://www.unicode.org/L2/L2011/11196-n4022-wingdings.pdf */

/** Stands for a sign without a character, or without a known one. */
export const unknownSign = "\uFFFD";

/** From each start code on, consecutive characters. */
const runs = (...given: readonly (readonly [start: number, characters: string])[]): ReadonlyMap<number, string> =>
  new Map(given.flatMap(([start, characters]) => [...characters].map((character, place) => [start + place, character] as const)));

const wingdings = runs(
  [0x20, " 🖉✂✁👓🕭🕮🕯☎✆✉"],
  [0x2a, "✉✉📪📫📬📭📁📂📄"],
  [0x36, "⌛"],
  [0x3e, "✇✍✎✌👌👍👎☜☞☝☟✋☺😐☹💣☠⚐⚐✈☼💧❄✞✞✞✠✡☪☯ॐ☸♈♉♊♋♌♍♎♏♐♑♒♓"],
  [0x6c, "●○■□□❑❒⬧⧫◆❖⬥⌧"],
  [0x7a, "⌘"],
  [0x80, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"],
  [0x9e, "·•"],
  [0xa1, "○"],
  [0xa4, "◉◎"],
  [0xa7, "▪□"],
  [0xaa, "✦★✶✴✹✵"],
  [0xb5, "✪✰"],
  [0xb7, "🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛"],
  [0xd5, "⌫⌦"],
  [0xd8, "➢"],
  [0xdf, "←→↑↓↖↗↙↘⬅➔⬆⬇"],
  [0xef, "⇦⇨⇧⇩⬄⇳"],
  [0xfb, "✗✓☒☑"],
);
const wingdings2 = runs([0x4f, "✗✓☒☑☒☒"], [0x97, "●"], [0xa3, "☐"]);
const webdings = runs([0x61, "✓"], [0x63, "□"], [0x67, "■"], [0x6e, "●"], [0x72, "✗"]);
const symbol = runs(
  [0x20, " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"],
  [0x61, "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"],
  [0xa0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…"],
  [0xc0, "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"],
  [0xf2, "∫"],
);

const fonts: ReadonlyMap<string, ReadonlyMap<number, string>> = new Map([
  ["wingdings", wingdings],
  ["wingdings 2", wingdings2],
  ["webdings", webdings],
  ["symbol", symbol],
]);

/** The character for a code in a symbol font. Programs also use the codes from U+F000. Undefined if the font is none of these. */
export function signOf(font: string, code: number): string | undefined {
  const signs = fonts.get(font.toLowerCase());
  if (signs === undefined) return undefined;
  return signs.get(code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code) ?? unknownSign;
}
