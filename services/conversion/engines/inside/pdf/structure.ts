/** Queries on the structure tree of a page (ISO 32000-1, 14.8.4). */
import type { StructureNode } from "./content.ts";

/** Block-level roles; all others are inline. */
const blockRoles = new Set(
  "Document Part Art Sect Div Aside BlockQuote TOC TOCI Index P H H1 H2 H3 H4 H5 H6 Title L LI Lbl LBody Table THead TBody TFoot TR TH TD Caption Figure Note FENote Form".split(
    " ",
  ),
);

export function marksUnder(node: StructureNode): string[] {
  if (node.type === "content") return node.id === undefined ? [] : [node.id];
  return (node.children ?? []).flatMap(marksUnder);
}

export function holdsBlocks(node: StructureNode): boolean {
  if (node.role !== undefined && (blockRoles.has(node.role) || isCodeBlock(node))) return true;
  return (node.children ?? []).some(holdsBlocks);
}

export const noteRoles = new Set(["Note", "FENote"]);

export function notesUnder(nodes: readonly StructureNode[]): StructureNode[] {
  return nodes.flatMap((node) => (noteRoles.has(node.role ?? "") ? [node] : notesUnder(node.children ?? [])));
}

export function withoutNotes(node: StructureNode): StructureNode[] {
  if (noteRoles.has(node.role ?? "")) return [];
  return node.children === undefined ? [node] : [{ ...node, children: node.children.flatMap(withoutNotes) }];
}

/** Browsers write a code block as code in a box of its own. */
export function isCodeBlock({ role, children = [] }: StructureNode): boolean {
  return role === "NonStruct" && children.length > 0 && children.every((child) => child.role === "Code");
}

export const holdsRole = (node: StructureNode, ...roles: readonly string[]): boolean =>
  roles.includes(node.role ?? "") || (node.children ?? []).some((child) => holdsRole(child, ...roles));

/** An element with an ARIA role, such as a footnote, has no PDF role. */
export const isItem = ({ role, children = [] }: StructureNode) => role === "LI" || children.some((child) => child.role === "Lbl");

export const isObject = (type: string | undefined) => type === "object" || type === "annotation";

export const plainId = (id: string) => id.replace("pdfjs_internal_id_", "");
