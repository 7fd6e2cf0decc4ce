export type PictureSize = { readonly width: number; readonly height: number };
