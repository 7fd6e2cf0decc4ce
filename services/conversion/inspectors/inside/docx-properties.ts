/** What a Word document's properties say about it. */
import type { Answer } from "#services/conversion/domain/questions.ts";
import { decodeEntities } from "#services/conversion/engines/inside/entities.ts";

/** Of the properties for which no target has a place. */
const mostNamed = 5;

/** LibreOffice stores these among a person's own; they say nothing about the document. */
const ofPrograms = new Set("AppVersion DocSecurity HyperlinksChanged LinksUpToDate ScaleCrop ShareDoc".split(" "));

/** Empty where nothing is said. */
export function propertiesOf(core: string, styles: string, app: string, custom: string): Answer<"readableDocx">["properties"] {
  const plain = (text: string): string =>
    decodeEntities(text)
      .replace(/[\p{C}\s]+/gu, " ")
      .trim();
  const said = (pattern: RegExp): string => plain(pattern.exec(core)?.[1] ?? "");
  const others = [...`${core}${app}`.matchAll(/<(?:cp:)?(category|Company|Manager)>\s*[^<\s]/g)].map(([, name = ""]) => name.toLowerCase());
  const own = custom.split("<property ").flatMap((each) => {
    const name = /<vt:\w{1,20}>\s{0,99}[^<\s]/.test(each) && /\bname="([^"]{1,200})"/.exec(each)?.[1];
    return name && !ofPrograms.has(name) ? [plain(name).slice(0, 60)] : [];
  });
  const named = [...others, ...own];
  const defaults = styles.slice(styles.indexOf("<w:docDefaults>"), Math.max(0, styles.indexOf("</w:docDefaults>")));
  return {
    title: said(/<dc:title>([^<]{1,10000})</),
    author: said(/<dc:creator>([^<]{1,10000})</),
    date: said(/<dcterms:created[^<>]{0,99}>(\d{4}-\d\d-\d\d)/),
    subject: said(/<dc:subject>([^<]{1,10000})</),
    keywords: said(/<cp:keywords>([^<]{1,10000})</),
    description: said(/<dc:description>([^<]{1,10000})</),
    others: [...named.slice(0, mostNamed), ...(named.length > mostNamed ? ["others"] : [])].join(", "),
    lang: said(/<dc:language>([\w-]{2,20})</) || (/<w:lang [^<>]{0,99}w:val="([a-zA-Z]{2,3}(?:-\w{2,8})?)"/.exec(defaults)?.[1] ?? ""),
  };
}
