/** Header of a WAV file with uncompressed samples. */
export type WavForm = { readonly sampleRate: number; readonly channels: number; readonly sampleBytes: 1 | 2 };

export const wavHeaderBytes = 44;

/** The header for `dataBytes` of samples. */
export function wavHeader(dataBytes: number, { sampleRate, channels, sampleBytes }: WavForm): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(wavHeaderBytes);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * channels * sampleBytes, 28);
  header.writeUInt16LE(channels * sampleBytes, 32);
  header.writeUInt16LE(8 * sampleBytes, 34);
  header.write("data", 36);
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
