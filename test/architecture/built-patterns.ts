/** Regular expressions built at run time, with their resulting forms. An entry that is no longer needed fails. */
export type BuiltPattern = { readonly path: string; readonly looks: readonly string[]; readonly reason: string };

export const builtPatterns: readonly BuiltPattern[] = [
  { path: "gateway/routes/register.ts", looks: ["^/api/v1/jobs/[^/]+/result$"], reason: "is made of the paths that are declared" },
  { path: "gateway/setup/system-packages.mjs", looks: ["^lib.*\\.so$"], reason: "is made of the names in system-packages.json" },
  { path: "services/account/domain/key.ts", looks: ["^fm_[0-9A-Za-z]{49}$"], reason: "is made of constants" },
  { path: "services/catalogue/domain/options.ts", looks: ["^(?:)$"], reason: "is an engine's, each of which is looked at too" },
  {
    path: "services/conversion/engines/inside/records/xml-names.ts",
    looks: ["^[A-Za-z_][A-Za-z_\\-.0-9]*(:[A-Za-z_][A-Za-z_\\-.0-9]*)?$", "[^A-Za-z_0-9.\\-]", "^[A-Za-z_]"],
    reason: "is made of constants",
  },
  {
    path: "services/conversion/engines/pdf/poppler-pages.ts",
    looks: ["^Page\\s+7 size:\\s+([\\d.e+]+) x ([\\d.e+]+) pts", "^Page\\s+7 rot:\\s+(90|270)"],
    reason: "is made of a number",
  },
  {
    path: "services/conversion/sandbox/placed.ts",
    looks: ["(?:\\/input\\/document|\\/job)(?![\\w.-])"],
    reason: "is made of the paths that recipes name",
  },
  { path: "services/conversion/sandbox/self-attack-child.mjs", looks: ["^CapEff:\\s+(\\S+)"], reason: "is made of constants" },
];
