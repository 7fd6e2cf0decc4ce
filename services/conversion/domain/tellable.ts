/** What the metadata of pictures can hold, in words for users. */

/** EXIF fields, in words for users. */
export const exif = {
  ...{ camera: "camera", exposure: "exposure", taken: "date", author: "author", words: "description", maker: "the maker's notes" },
  other: "other fields",
} as const;
/** What phones and cameras add to a picture, in words for users. */
export const attached = {
  ...{ gainMap: "the gain map for HDR screens", depth: "the depth map", mattes: "masks of the subject" },
  ...{ film: "the film of the motion photo", further: "further pictures" },
  own: "what only the camera's own programs read, such as temperatures",
} as const;
export type Attached = keyof typeof attached;
export const attachments = Object.keys(attached) as readonly Attached[];
/** Everything that notes can name. */
export const tellable = {
  ...exif,
  ...attached,
  place: "the location (GPS)",
  ...{ xmp: "XMP", furtherXmp: "the extended part of XMP" },
  iptc: "IPTC",
  comments: "comments",
  map: "the position on the map (GeoTIFF)",
  appended: "what other programs appended to the file",
  credentials: "valid Content Credentials (C2PA)",
} as const;
export type Tellable = keyof typeof tellable;
