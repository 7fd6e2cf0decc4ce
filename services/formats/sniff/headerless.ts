/** Binary formats whose first bytes say too little. The name is accepted if the content is nothing else. */
export const headerless: ReadonlySet<string> = new Set(
  (
    "tga xface wbmp pcx palm art avs aai hrz pix vbn rgf mtv jbig macpaint pict viff ptif vicar j2k " +
    "gsm g722 g723 g726 al ul pcm vox sln sbc aptx dfpwm aud rso loas adx hcom mod 669 stm med it dtm imf amf far psm oxm mmf " +
    "h261 h263 h264 hevc obu m1v flc flm drc dv " +
    "br lzma taz msgpack cbor bson dta sav dbf wk1 wq1 qpw wps wri hwp uc lwo sib q3s md2 mdl cob hmp " +
    "pfb dfont shp ov2 gpi gdb tab vdv der p12 p7b dgn prc pdb tcr"
  ).split(" "),
);
