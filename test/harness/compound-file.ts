const sectorBytes = 512;
const free = 0xffff_ffff;
const end = 0xffff_fffe;

/** A compound file ([MS-CFB], version 3) with these streams; those under 4096 bytes go into the mini stream, as required. */
export function compoundFile(streams: Readonly<Record<string, Uint8Array>>, fillerSectors = 0): Buffer {
  const sectors: Buffer[] = [];
  const chain: number[] = [];
  const add = (bytes: Uint8Array): number => {
    const first = sectors.length;
    const count = Math.max(1, Math.ceil(bytes.length / sectorBytes));
    for (let index = 0; index < count; index++) {
      const sector = Buffer.alloc(sectorBytes);
      sector.set(bytes.subarray(index * sectorBytes, (index + 1) * sectorBytes));
      sectors.push(sector);
      chain.push(index === count - 1 ? end : sectors.length);
    }
    return first;
  };
  if (fillerSectors > 0) add(new Uint8Array(fillerSectors * sectorBytes));

  const mini: Buffer[] = [];
  const entries = Object.entries(streams).map(([name, bytes]) => {
    if (bytes.length >= 4096) return entryOf(name, 2, add(bytes), bytes.length);
    const start = Buffer.concat(mini).length / 64;
    mini.push(Buffer.concat([bytes, Buffer.alloc((64 - (bytes.length % 64)) % 64)]));
    return entryOf(name, 2, start, bytes.length);
  });
  const miniStream = Buffer.concat(mini);
  const root = entryOf("Root Entry", 5, miniStream.length === 0 ? end : add(miniStream), miniStream.length);
  // A chain of siblings, as readers that walk the tree expect.
  if (entries.length > 0) root.writeUInt32LE(1, 76);
  for (const [index, entry] of entries.entries()) if (index + 1 < entries.length) entry.writeUInt32LE(index + 2, 72);
  const directory = add(Buffer.concat([root, ...entries]));
  return assembled(sectors, chain, directory);
}

function entryOf(name: string, type: number, start: number, sizeBytes: number): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, 0, "utf16le");
  entry.writeUInt16LE((name.length + 1) * 2, 64);
  entry[66] = type;
  for (const at of [68, 72, 76]) entry.writeUInt32LE(free, at);
  entry.writeUInt32LE(start, 116);
  entry.writeUInt32LE(sizeBytes, 120);
  return entry;
}

/** Header, content, allocation table, and further table sectors if 109 do not suffice. */
function assembled(sectors: Buffer[], chain: number[], directory: number): Buffer {
  const perTable = sectorBytes / 4;
  const perChainSector = perTable - 1;
  let tables = 1;
  let chainSectors = 0;
  while (tables * perTable < chain.length + tables + chainSectors) {
    tables += 1;
    chainSectors = Math.max(0, Math.ceil((tables - 109) / perChainSector));
  }
  const firstTable = chain.length;
  const firstChainSector = firstTable + tables;
  const links = [...chain, ...Array<number>(tables).fill(0xffff_fffd), ...Array<number>(chainSectors).fill(0xffff_fffc)];
  const table = Buffer.alloc(tables * sectorBytes, 0xff);
  for (const [index, next] of links.entries()) table.writeUInt32LE(next, index * 4);

  const header = Buffer.alloc(sectorBytes, 0);
  header.write("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0, "latin1");
  for (const [at, value] of [
    [24, 0x3e],
    [26, 3],
    [28, 0xfffe],
    [30, 9],
    [32, 6],
  ] as const)
    header.writeUInt16LE(value, at);
  const words = [
    [44, tables],
    [48, directory],
    [56, 4096],
    [60, end],
    [68, chainSectors > 0 ? firstChainSector : end],
    [72, chainSectors],
  ] as const;
  for (const [at, value] of words) header.writeUInt32LE(value, at);
  const further = Buffer.alloc(chainSectors * sectorBytes, 0xff);
  for (let index = 0; index < Math.max(109, tables); index++) {
    const sector = index < tables ? firstTable + index : free;
    if (index < 109) header.writeUInt32LE(sector, 76 + index * 4);
    else further.writeUInt32LE(sector, (Math.floor((index - 109) / perChainSector) * perTable + ((index - 109) % perChainSector)) * 4);
  }
  for (let index = 0; index < chainSectors; index++) {
    further.writeUInt32LE(index === chainSectors - 1 ? end : firstChainSector + index + 1, (index + 1) * sectorBytes - 4);
  }
  return Buffer.concat([header, ...sectors, table, further]);
}
