/** Classes CH1 to CH8: pages that read the host, call the network, never end, or hide in packages. */
import { zipFile } from "#test/harness/zip-file.ts";
import { type Aim, type Attack, attackOnTo } from "./attack.ts";

type More = Partial<Attack>;
const attack = attackOnTo("chromium", ["pdf"]);
const page = (id: string, what: string, content: Attack["content"], outcome: Attack["outcome"], more: More = {}): Attack =>
  attack(id, what, "a.html", content, outcome, { query: "from=html", ...more });
/** A page whose scripts may run for a second. */
const scripted = (id: string, what: string, script: (aim: Aim) => string, outcome: Attack["outcome"], more: More = {}): Attack =>
  page(id, what, (aim) => `<!DOCTYPE html><p>Page</p><script>${script(aim)}</script>`, outcome, {
    query: "from=html&javascript=true&javascriptSeconds=1",
    ...more,
  });

const reach = ({ secretFile, secretPicture, neighbour, url }: Aim): string =>
  `<p>Frames</p><base href="file://${secretFile}">
  ${[secretFile, neighbour, "/etc/passwd", "/proc/self/environ", "/proc/1/cmdline", "/", "/job/in"].map((path) => `<iframe src="file://${path}"></iframe><object data="file://${path}"></object><embed src="${path}">`).join("")}
  <img src="file://${secretPicture}"><img src="${url}/a.png"><link rel=stylesheet href="file://${secretFile}"><link rel=stylesheet href="${url}/a.css">
  <link rel=prefetch href="${url}/b"><link rel=preconnect href="${url}"><link rel=dns-prefetch href="${url}"><video src="${url}/a.mp4" poster="file://${secretPicture}"></video>
  <svg><image href="file://${secretPicture}"/><use href="file://${secretFile}#a"/></svg><style>@import "file://${secretFile}"; @font-face { font-family: a; src: url(${url}/a.woff2) } p { font-family: a; background: url(file://${secretPicture}) }</style>
  <iframe src="view-source:file://${secretFile}"></iframe><iframe src="chrome://net-export"></iframe><iframe srcdoc="<img src='${url}/c.png'><iframe src='file://${secretFile}'></iframe>"></iframe>
  <iframe src="data:text/html,<iframe src='file://${secretFile}'></iframe>"></iframe><meta http-equiv=refresh content="0;url=file://${secretFile}">`;

const loads = ({ secretFile, url, port }: Aim): string => `
  const show = (text) => document.body.append(text);
  for (const each of ["file://${secretFile}", "${url}/fetch", "/job/in", "filesystem:file:///temporary/a"]) {
    fetch(each).then((answer) => answer.text()).then(show, () => 0);
    const asked = new XMLHttpRequest(); asked.onload = () => show(asked.responseText);
    try { asked.open("GET", each, false); asked.send(); } catch {}
    import(each).catch(() => 0);
    open(each); const frame = document.body.appendChild(document.createElement("iframe")); frame.src = each;
    try { new Worker(each); importScripts(each); } catch {}
  }
  try { new WebSocket("ws://127.0.0.1:${port}/"); new EventSource("${url}/events"); navigator.sendBeacon("${url}/beacon", "a"); } catch {}
  try { const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] }); peer.createDataChannel("a"); peer.createOffer().then((offer) => peer.setLocalDescription(offer)); } catch {}
  location = "file://${secretFile}";`;

const saved = ({ secretFile, secretPicture, url }: Aim): string =>
  `From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Location: file://${secretFile}\r\n\r\n` +
  `<p>Saved</p><iframe src="file://${secretFile}"></iframe><img src="file://${secretPicture}"><img src="${url}/saved.png">\r\n--b--\r\n`;

const packed = ({ secretFile, secretPicture }: Aim): Buffer =>
  zipFile([
    {
      name: "index.html",
      content: `<p>Packed</p><iframe src="../../../..${secretFile}"></iframe><img src="b/../../../../..${secretPicture}">`,
    },
  ]);

const bomb = (): Buffer =>
  zipFile([
    { name: "index.html", content: "<link rel=stylesheet href=a.css>" },
    { name: "a.css", content: Buffer.alloc(1_000_000, " "), repeat: 400 },
  ]);

export const browserAttacks: readonly Attack[] = [
  page("CH1-frames", "a page with frames, pictures and styles of the host and the network", reach, "converts", { to: ["pdf", "png"] }),
  scripted("CH2-scripts", "scripts that load from the host and the network in a dozen ways", loads, "converts"),
  scripted(
    "CH3-endless",
    "a script without an end, and one at each print",
    () => "onbeforeprint = () => { for (;;); }; print(); for (;;);",
    "converts",
  ),
  scripted(
    "CH3-dialogs",
    "dialogs, windows and jumps without an end",
    () => "setInterval(() => { open(); location.reload(); history.back() }); for (;;) alert(1);",
    "converts",
  ),
  scripted(
    "CH3-workers",
    "eight workers without an end",
    () => 'for (let count = 0; count < 8; count++) new Worker(URL.createObjectURL(new Blob(["for (;;);"])));',
    "is bounded",
  ),
  scripted(
    "CH3-memory",
    "a script that fills memory",
    () => "const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));",
    "is bounded",
  ),
  page("CH4-huge", "a page of a million pixels", () => '<p style="height: 1000000px">Tall', "INPUT_TOO_COMPLEX", { to: ["png"] }),
  page("CH4-pages", "a page that prints as a thousand pages", () => "<p style='break-after: page'>a".repeat(1_000), "is bounded"),
  page("CH4-nested", "5,000 elements inside each other", () => "<div>".repeat(5_000), "is bounded"),
  page(
    "CH5-font",
    "a font that is none, and one cut short",
    () =>
      `<style>@font-face { font-family: a; src: url(data:font/woff2;base64,d09GMgABAAAAAAKoAAwAAAAABkQAAAJZAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAA) } @font-face { font-family: b; src: url(data:font/ttf;base64,AAEAAAAKAIAAAwAgT1MvMg) } p { font-family: a, b }</style><p>Font`,
    "converts",
  ),
  scripted(
    "CH6-machine",
    "WebGL, WebGPU, service workers, storage, devices and WebAssembly",
    () =>
      'for (const kind of ["webgl", "webgl2", "webgpu"]) document.createElement("canvas").getContext(kind)?.clear(1); navigator.gpu?.requestAdapter(); navigator.serviceWorker?.register("a.js"); indexedDB.open("a"); navigator.mediaDevices?.getUserMedia({ audio: true }); navigator.geolocation.getCurrentPosition(() => 0); WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))',
    "converts",
  ),
  scripted(
    "CH6-downloads",
    "downloads without an end",
    () =>
      'setInterval(() => { const link = document.createElement("a"); link.download = "../../a"; link.href = URL.createObjectURL(new Blob(["a".repeat(1e6)])); link.click(); }, 0);',
    "converts",
  ),
  attack("CH7-saved", "a saved page whose parts are the host's files", "a.mhtml", saved, "converts"),
  attack("CH7-packed", "a packed page with paths that climb", "a.htmlz", packed, "converts"),
  attack("CH8-bomb", "a packed page whose style unpacks to 400 MB", "a.htmlz", bomb, "INPUT_TOO_COMPLEX", { isEarly: true }),
];
