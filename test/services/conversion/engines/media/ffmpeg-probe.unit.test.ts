import { expect, it } from "vitest";
import { protection } from "#services/conversion/engines/media/ffmpeg-probe.ts";

it("takes a track of WebM with a key for protected, and one without for open", () => {
  const webm = (tags: object) => ({ streams: { stream: { 0: { codec_tag_string: "[0][0][0][0]", tags } } } });
  expect(protection.isIn(webm({ enc_key_id: "AQIDBAUGBwgJEBESExQVFg==" }), "")).toBe(true);
  expect(protection.isIn(webm({ language: "eng" }), "")).toBe(false);
});

it("takes fragments of which FFmpeg 5 cannot read the keys for protected", () => {
  expect(protection.isIn({}, "[mov] hit EOF while reading sub-sample encryption info\nInvalid data found when processing input")).toBe(
    true,
  );
});
