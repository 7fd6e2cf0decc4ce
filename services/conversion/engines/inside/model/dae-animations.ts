/** COLLADA by assimp, which refers to numbers that it does not write for animations of some properties only. */

const samplers = /<sampler id="([^"<>]+)-sampler">/;
const ends = { sampler: "</sampler>", library: "</library_animations>" };

export type SoundDae = { readonly text: string /** How many animated nodes are left out. */; readonly left: number };

export function withoutDangling(text: string): SoundDae {
  const start = text.indexOf("<library_animations>");
  const end = text.indexOf(ends.library, start) + ends.library.length;
  if (start < 0 || end < ends.library.length) return { text, left: 0 };
  const library = text.slice(start, end);
  const [first = "", ...parts] = library.split(/(?=<sampler )/);
  const sources = new Set(library.match(/<source id="[^"<>]+-input"/g));
  const kept = parts.map((part) => {
    const name = samplers.exec(part)?.[1] ?? "";
    if (sources.has(`<source id="${name}-input"`)) return part;
    const rest = part.slice(part.indexOf(ends.sampler) + ends.sampler.length);
    return rest.replace(`<channel source="#${name}-sampler"`, "<!-- ").replace(/<!-- [^<>]*>/, "");
  });
  const left = parts.filter((part, place) => part !== kept[place]).length;
  const made = left === parts.length ? "" : first + kept.join("");
  return { text: left === 0 ? text : text.slice(0, start) + made + text.slice(end), left };
}
