/** The used parts of packages without types. */
declare module "occt-import-js" {
  /** The fields that are read: https://github.com/kovacsv/occt-import-js#readme */
  type Result = { readonly success: false } | { readonly success: true; readonly meshes: readonly never[] };
  type Library = { ReadStepFile(content: Uint8Array, parameters: object): Result };
  function open(options: object): Promise<Library>;
  export = open;
}

declare module "sax" {
  type Parser = {
    onerror: (error: Error) => void;
    onopentag: (tag: { readonly name: string; readonly attributes: Readonly<Record<string, string>> }) => void;
    write(text: string): Parser;
    close(): Parser;
  };
  const sax: { parser(isStrict: boolean): Parser };
  export = sax;
}
