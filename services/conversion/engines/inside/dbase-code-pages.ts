/** The code pages of dBase tables: a byte of the header names one, or the letters show it. */
import { guessEncoding } from "./guess-encoding.ts";

/**
 * Labels as in the Encoding Standard if it has one. @see dBASE language driver id, in the specification of Esri's shapefiles and Visual
 * FoxPro
 */
const labelOfDriver: Readonly<Record<number, string>> = {
  ...drivers("ibm437", 0x01, 0x09, 0x0b, 0x0d, 0x0f, 0x11, 0x15, 0x18, 0x19, 0x1b),
  ...drivers("ibm850", 0x02, 0x0a, 0x0e, 0x10, 0x12, 0x14, 0x16, 0x1a, 0x1d, 0x25, 0x37),
  ...drivers("windows-1252", 0x03, 0x57, 0x58, 0x59),
  ...drivers("macintosh", 0x04),
  ...drivers("ibm865", 0x08, 0x17, 0x66),
  ...drivers("shift_jis", 0x13, 0x7b),
  ...drivers("ibm863", 0x1c, 0x6c),
  ...drivers("ibm852", 0x1f, 0x22, 0x23, 0x40, 0x64, 0x87),
  ...drivers("ibm860", 0x24),
  ...drivers("ibm866", 0x26, 0x65),
  ...drivers("gbk", 0x4d, 0x7a),
  ...drivers("euc-kr", 0x4e, 0x79),
  ...drivers("big5", 0x4f, 0x78),
  ...drivers("windows-874", 0x50, 0x7c),
  ...drivers("ibm861", 0x67),
  ...drivers("ibm737", 0x6a, 0x86),
  ...drivers("ibm857", 0x6b, 0x88),
  ...drivers("windows-1255", 0x7d),
  ...drivers("windows-1256", 0x7e),
  ...drivers("windows-1250", 0xc8),
  ...drivers("windows-1251", 0xc9),
  ...drivers("windows-1254", 0xca),
  ...drivers("windows-1253", 0xcb),
  ...drivers("windows-1257", 0xcc),
};

function drivers(label: string, ...ids: readonly number[]): Record<number, string> {
  return Object.fromEntries(ids.map((id) => [id, label]));
}

/** The upper halves of DOS code pages, which the Encoding Standard lacks. */
const dosPages: Readonly<Record<string, string>> = {
  ibm437:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  ibm737:
    "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u00a0",
  ibm850:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
  ibm852:
    "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0",
  ibm857:
    "ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\ufffdÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ\ufffd×ÚÛÙìÿ¯´\u00ad±\ufffd¾¶§÷¸°¨·¹³²■\u00a0",
  ibm860:
    "ÇüéâãàÁçêÊèÍÔìÃÂÉÀÈôõòÚùÌÕÜ¢£Ù₧ÓáíóúñÑªº¿Ò¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  ibm861:
    "ÇüéâäàåçêëèÐðÞÄÅÉæÆôöþûÝýÖÜø£Ø₧ƒáíóúÁÍÓÚ¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  ibm863:
    "ÇüéâÂà¶çêëèïî‗À§ÉÈÊôËÏûù¤ÔÜ¢£ÙÛƒ¦´óú¨¸³¯Î⌐¬½¼¾«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  ibm865:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø₧ƒáíóúñÑªº¿⌐¬½¼¡«¤░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
};

/** The label that a header's language driver stands for. */
export const codePageOf = (driver: number): string | undefined => labelOfDriver[driver];

const known: ReadonlySet<string> = new Set([...Object.values(labelOfDriver), "koi8-r"]);
/** Bytes without a character in the Windows code page for Western Europe. In those of DOS they are letters. */
const dosOnly = Buffer.from([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** Only for text that is not Unicode; the guess may be wrong. */
export function guessCodePage(letters: Uint8Array): string {
  const label = guessEncoding(letters);
  if (label !== "windows-1252" && known.has(label)) return label;
  const count = (from: number, to: number) => letters.filter((byte) => byte >= from && byte <= to).length;
  const isDos = dosOnly.some((byte) => letters.includes(byte)) || count(0x80, 0xa5) > count(0xc0, 0xff);
  return isDos ? "ibm850" : "windows-1252";
}

/** Bytes without a character become U+FFFD. */
export function codePageDecoder(label: string): (bytes: Uint8Array) => string {
  const upper = dosPages[label];
  if (upper === undefined) {
    const decoder = new TextDecoder(label, { ignoreBOM: true });
    return (bytes) => decoder.decode(bytes);
  }
  return (bytes) => Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : upper.charAt(byte - 0x80))).join("");
}
