import { expect, it } from "vitest";
import { withCellEnds } from "#services/conversion/inspectors/inside/html-cells.ts";
import { expectLinearTime } from "#test/harness/linear-growth.ts";

it.each([
  ["<table><tr><td>a<td>b</table>", "<table><tr><td>a</td><td>b</td></tr></table>"],
  ["<TABLE><TR><TH>a<TR><TD>b</TABLE>", "<TABLE><TR><TH>a</th></tr><TR><TD>b</td></tr></TABLE>"],
  [
    "<table><caption>c<colgroup><col><thead><tr><td>a<tbody><tr><td>b</table>",
    "<table><caption>c</caption><colgroup><col></colgroup><thead><tr><td>a</td></tr></thead><tbody><tr><td>b</td></tr></tbody></table>",
  ],
  [
    "<table><tr><td><table><tr><td>a</table>b<td>c</tr></table>",
    "<table><tr><td><table><tr><td>a</td></tr></table>b</td><td>c</td></tr></table>",
  ],
  [
    "<table><tr><td x='</td>'>a<!-- <td> --><td/><td>b</td></tr></table>",
    "<table><tr><td x='</td>'>a<!-- <td> --></td><td/><td>b</td></tr></table>",
  ],
  ["<table><tr><td><script>'<td>'</script><td>b</td></tr></table>", "<table><tr><td><script>'<td>'</script></td><td>b</td></tr></table>"],
])("adds omitted end tags: %s", (html, wanted) => {
  expect(withCellEnds(html)).toBe(wanted);
});

it.each([
  "<table><caption>a</caption><tr><td>a</td><td/></tr></table>",
  "<p>a<td>b</td><ul><li>c<li>d</ul>",
  "<table></td></tr><tr><td>a</td></tr></table>",
  "<td <tr <table x='",
  "<!-- <table><tr><td>a<td>b</table>",
])("leaves a page without omitted end tags unchanged: %s", (html) => {
  expect(withCellEnds(html)).toBeUndefined();
});

it.each(["<td x='", "<table><tr><td>", "<!--", "<script>", "<a =", "</td></tr>"])("takes linear time: %s", (piece) => {
  expectLinearTime((times) => withCellEnds(`<table>${piece.repeat(times)}`), 100_000);
});
