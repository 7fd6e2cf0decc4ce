export type TarMember = {
  readonly name: string;
  readonly content?: string | Uint8Array;
  readonly link?: string;
  readonly type?: string;
  /** Octal. */
  readonly mode?: string;
  /** A false size for the header. */
  readonly statedBytes?: number;
};

/** @see POSIX.1-2017, pax, ustar interchange format */
export function tarFile(members: readonly TarMember[]): Buffer {
  const blocks = members.map(({ name, content = "", link = "", type = "0", mode = "644", statedBytes }) => {
    const bytes = Buffer.from(content);
    const head = Buffer.alloc(512);
    head.write(name.slice(0, 100), 0);
    head.write(`${mode.padStart(7, "0")}\0${"0000000\0".repeat(2)}`, 100);
    const size = (statedBytes ?? bytes.length).toString(8).padStart(11, "0");
    head.write(`${size}\0${"0".repeat(11)}\0        ${type}`, 124);
    head.write(link.slice(0, 100), 157);
    head.write("ustar\x0000", 257);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return Buffer.concat([head, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

export type CpioMember = {
  readonly name: string;
  readonly content?: string;
  readonly mode?: number;
  /** Inode number; by default the position in the archive. */
  readonly number?: number;
  /** How many names the file has. */
  readonly links?: number;
  /** Major and minor number. */
  readonly device?: readonly [number, number];
};

/** With fields of eight hexadecimal digits. @see cpio(5), new ASCII format */
export function cpioFile(members: readonly CpioMember[]): Buffer {
  const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  const entries = [...members, { name: "TRAILER!!!" }].map((member: CpioMember, index) => {
    const { name, content = "", mode = 0o100644, number = index + 1, links = 1, device = [0, 0] } = member;
    const fields = [number, mode, 0, 0, links, 0, Buffer.byteLength(content), ...device, 0, 0, Buffer.byteLength(name) + 1, 0];
    const head = `070701${fields.map((field) => field.toString(16).padStart(8, "0")).join("")}${name}\0`;
    return Buffer.concat([padded(Buffer.from(head)), padded(Buffer.from(content))]);
  });
  return Buffer.concat(entries);
}
