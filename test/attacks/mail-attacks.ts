/** Class ML: messages, calendars and contacts that fetch, nest, repeat and refer to files. */
import { type Attack, attackOn } from "./attack.ts";

const attack = attackOn("mail");

const headers = "From: a@example.org\r\nTo: b@example.org\r\nSubject: Letter\r\nMIME-Version: 1.0\r\n";

/** Nested parts, each with its own boundary. */
function nested(depth: number): string {
  const opening = Array.from(
    { length: depth },
    (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
  ).join("");
  return `${headers}${opening}Content-Type: text/plain\r\n\r\na\r\n`;
}

export const mailAttacks: readonly Attack[] = [
  attack(
    "ML1-links",
    "a message with pictures of the host and the network, scripts and a form",
    "a.eml",
    ({ url, secretFile, secretPicture }) =>
      `${headers}Content-Type: text/html\r\n\r\n<p>Letter</p><img src="${url}/mail.png"><img src="file://${secretPicture}"><iframe src="file://${secretFile}"></iframe><script src="${url}/a.js"></script><link rel=stylesheet href="${url}/a.css"><form action="${url}/form"></form>\r\n`,
    "converts",
    ["html", "txt", "json"],
  ),
  attack(
    "ML1-body",
    "a message whose body is kept elsewhere",
    "a.eml",
    ({ url, secretFile }) =>
      `${headers}Content-Type: message/external-body; access-type=local-file; name="${secretFile}"\r\n\r\nContent-Type: text/plain\r\n\r\n${url}\r\n`,
    "is bounded",
    ["html", "zip"],
  ),
  attack(
    "ML1-names",
    "attachments named as paths",
    "a.eml",
    ({ outDir }) =>
      `${headers}Content-Type: multipart/mixed; boundary=b\r\n\r\n${[`../../../../../..${outDir}/slip`, `${outDir}/slip`, "C:\\slip", "__proto__", "..", "a\x1b[2J.txt", "=?utf-8?Q?a=0A=2E=2E/slip?="].map((name) => `--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\nx\r\n`).join("")}--b--\r\n`,
    "is bounded",
    ["zip", "json"],
  ),
  attack("ML2-depth", "twenty thousand parts inside each other", "a.eml", () => nested(20_000), "is bounded", ["html", "json"]),
  attack(
    "ML2-parts",
    "two hundred thousand parts",
    "a.eml",
    () => `${headers}Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\na\r\n".repeat(200_000)}--b--\r\n`,
    "is bounded",
    ["txt", "zip"],
  ),
  attack(
    "ML2-header",
    "a header of ten megabytes on folded lines",
    "a.eml",
    () => `${headers}X-A: ${"a\r\n ".repeat(2_500_000)}\r\n\r\na\r\n`,
    "is bounded",
    ["txt"],
  ),
  attack(
    "ML3-rule",
    "a calendar whose event comes back for ever, each second",
    "a.ics",
    () =>
      "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTAMP:20200101T000000Z\r\nDTSTART:00010101T000000Z\r\nRRULE:FREQ=SECONDLY;INTERVAL=1;BYMONTHDAY=31;BYMONTH=2\r\nSUMMARY:a\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    "is bounded",
    ["json", "html"],
  ),
  attack(
    "ML3-depth",
    "calendars inside each other, 50,000 deep",
    "a.ics",
    () => `${"BEGIN:VCALENDAR\r\n".repeat(50_000)}${"END:VCALENDAR\r\n".repeat(50_000)}`,
    "is bounded",
    ["json"],
  ),
  attack(
    "ML3-photo",
    "a contact whose picture is a host's file",
    "a.vcf",
    ({ url, secretPicture }) =>
      `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nN:A;;;;\r\nPHOTO;VALUE=URI:file://${secretPicture}\r\nLOGO;VALUE=URI:${url}/logo.png\r\nEND:VCARD\r\n`,
    "converts",
    ["html", "json"],
  ),
];
