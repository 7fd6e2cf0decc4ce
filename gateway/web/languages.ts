/** Languages of the pages, and their messages. */
import { readFile } from "node:fs/promises";
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { FastifyReply, FastifyRequest } from "fastify";
import { languageOf } from "#gateway/http/accept.ts";
import { cookieOf, setCookie } from "#gateway/http/cookies.ts";
import type { Messages } from "./message-keys.ts";
import { Translator } from "./translate.ts";

/** Languages by their own names, in the order in which they are offered. */
export const languages = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  it: "Italiano",
  pt: "Português",
  nl: "Nederlands",
  pl: "Polski",
  tr: "Türkçe",
  ru: "Русский",
  uk: "Українська",
  ar: "العربية",
  hi: "हिन्दी",
  zh: "中文",
  ja: "日本語",
} as const;

export type Language = keyof typeof languages;

const codes = Object.keys(languages).filter(isLanguage);

export function isLanguage(code: string): code is Language {
  return Object.hasOwn(languages, code);
}

export function directionOf(language: Language): "ltr" | "rtl" {
  return new Set<string>(["ar"]).has(language) ? "rtl" : "ltr";
}

/** The language cookie gives no access, so it needs neither HTTPS nor a `__Host-` name. */
const anywhere = { PUBLIC_URL: undefined };
const YEAR_SECONDS = 31_536_000;

/** The language that the reader chose, otherwise the one that the browser prefers, otherwise English. */
export function languageFor(request: FastifyRequest): Language {
  const chosen = cookieOf(request, anywhere, "filemill_language");
  if (chosen !== undefined && isLanguage(chosen)) return chosen;
  return languageOf(request.headers["accept-language"], codes) ?? "en";
}

export function chooseLanguage(reply: FastifyReply, language: Language): void {
  setCookie(reply, anywhere, "filemill_language", language, YEAR_SECONDS);
}

const reading = new Map<Language, Promise<Messages>>();

/** Reads each language once. Missing texts are in English. */
export function messagesOf(language: Language): Promise<Messages> {
  const known = reading.get(language) ?? read(language);
  reading.set(language, known);
  known.catch(() => reading.delete(language));
  return known;
}

export async function translatorOf(language: Language): Promise<Translator> {
  return new Translator(language, await messagesOf(language));
}

async function read(language: Language): Promise<Messages> {
  const texts: unknown = JSON.parse(await readFile(new URL(`./messages/${language}.json`, import.meta.url), "utf8"));
  const own = Object.entries(texts as Record<string, string>).map(([key, text]) => [key, messageOf(text)]);
  const messages = Object.fromEntries(own) as Messages;
  return language === "en" ? messages : { ...(await messagesOf("en")), ...messages };
}

/** A plain string if the message has no placeholders, otherwise the parsed message. Throws if it is not a valid ICU message. */
export function messageOf(text: string): string | MessageFormatElement[] {
  const elements = parse(text, { captureLocation: false });
  const [first] = elements;
  return elements.length === 1 && first?.type === TYPE.literal ? first.value : elements;
}
