/** Apple's property lists, compared with Python's reader and writer. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(dataEngine);

function python(script: string, input?: Buffer): Buffer {
  return execFileSync("/usr/bin/python3", ["-c", `import datetime,plistlib,sys,json\n${script}`], { input });
}

/** Written by Python, in either form. */
const made = (values: string, form: "XML" | "BINARY") =>
  python(`sys.stdout.buffer.write(plistlib.dumps(${values}, fmt=plistlib.FMT_${form}))`);

/** What Python reads from a property list. */
const found = (bytes: Buffer) => python("print(repr(plistlib.loads(sys.stdin.buffer.read())))", bytes).toString().trim();

describe.each(["XML", "BINARY"] as const)("property lists read from %s", (form) => {
  it("keep every digit of integers, and decimals, bytes and strings", async () => {
    const values =
      '{"i":9007199254740993,"n":-9007199254740993,"one":-1,"m":2**63,"max":2**64-1,"min":-2**63,"byte":200,"f":0.1,"b":b"\\xff\\x00","t":"Ü😀 <&","e":"","l":[1,[True,False]],"s":5000000000}';
    const { text, notes } = await convert(made(values, form), "plist", "json", { indent: 0 });
    expect(text.trim()).toBe(
      '{"b":"/wA=","byte":200,"e":"","f":0.1,"i":9007199254740993,"l":[1,[true,false]],"m":9223372036854775808,"max":18446744073709551615,' +
        '"min":-9223372036854775808,"n":-9007199254740993,"one":-1,"s":5000000000,"t":"Ü😀 <&"}',
    );
    expect(notes).toEqual(["TYPES_AS_TEXT"]);
  });

  it("keep dates exactly", async () => {
    const fraction = form === "BINARY" ? ",678901" : "";
    const values = `{"d":datetime.datetime(2024,1,2,3,4,5${fraction}),"o":datetime.datetime(1890,2,3)}`;
    const { text } = await convert(made(values, form), "plist", "json", { indent: 0 });
    expect(text.trim()).toBe(`{"d":"2024-01-02T03:04:05${fraction.replace(",", ".")}Z","o":"1890-02-03T00:00:00Z"}`);
  });
});

describe("property lists read from XML", () => {
  const list = (body: string) => `<?xml version="1.0"?><plist version="1.0"><dict>${body}</dict></plist>`;

  it("keep digits next to CDATA and in hexadecimal, and values with the same name", async () => {
    const body =
      "<key>c</key><string><![CDATA[<integer>1</integer>]]></string><key>i</key><integer>9007199254740993</integer>" +
      "<key>h</key><integer>0x1FFFFFFFFFFFFFFFF</integer><key>r</key><real>0.12345678901234567891</real>" +
      "<!-- not here --><key>i</key><integer>+2</integer><key>s</key><string> a </string><key>z</key><real>-inf</real>";
    const { text, messages } = await convert(list(body), "plist", "yaml");
    expect(text).toBe(
      'c: <integer>1</integer>\ni: 9007199254740993\nh: 36893488147419103231\nr: 0.12345678901234567891\ni_2: 2\ns: " a "\nz: -.inf\n',
    );
    expect([...messages]).toEqual([["NAMES_CHANGED", "Repeated names were numbered: i."]]);
  });

  it.each(["<integer>x</integer>", "<date>soon</date>", "<key>a</key>", "<odd/>"])("are rejected with %s", async (value) => {
    await expect(convert(list(`<key>a</key>${value}`), "plist", "json")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("property lists written", () => {
  const json = '{"i":9007199254740993,"n":-9223372036854775808,"s":5000000000,"f":0.1,"x":1e300,"u":"\\u00fc"}';

  it("as XML keep all digits", async () => {
    const { bytes, notes } = await convert(json, "json", "plist");
    expect(found(bytes)).toBe("{'i': 9007199254740993, 'n': -9223372036854775808, 's': 5000000000, 'f': 0.1, 'x': 1e+300, 'u': 'ü'}");
    expect(notes).toEqual([]);
  });

  it("as binary note the integers that become text", async () => {
    const { bytes, messages } = await convert(json, "json", "plist", { form: "binary" });
    expect(found(bytes)).toBe("{'i': '9007199254740993', 'n': '-9223372036854775808', 's': 5000000000, 'f': 0.1, 'x': 1e+300, 'u': 'ü'}");
    expect(messages.get("TYPES_AS_TEXT")).toMatch(/: i, n\.$/);
  });

  it("keep dates to the second, and finer ones as text with a note", async () => {
    const { text, messages } = await convert("a = 2024-01-02T03:04:05Z\nb = 2024-01-02T03:04:05.250Z\n", "toml", "plist");
    expect(text).toContain("<date>2024-01-02T03:04:05Z</date>");
    expect(text).toContain("<string>2024-01-02T03:04:05.250Z</string>");
    expect(messages.get("TYPES_AS_TEXT")).toMatch(/: b\.$/);
  });

  it("note the empty values that they cannot contain", async () => {
    const { text, messages } = await convert('{"a":null,"l":[1,null]}', "json", "plist");
    expect(text).toContain("<string/>");
    expect(messages.get("EMPTY_VALUES_DROPPED")).toMatch(/: a, l\[1\]\.$/);
  });
});
