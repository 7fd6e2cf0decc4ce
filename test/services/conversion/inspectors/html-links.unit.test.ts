import { expect, it } from "vitest";
import { hasLinksInCode, withLinksInside, withPlainAddresses } from "#services/conversion/inspectors/inside/html-links.ts";
import { withWholeLists } from "#services/conversion/inspectors/inside/html-lists.ts";
import { expectLinearTime } from "#test/harness/linear-growth.ts";

it.each([
  ['<a class=c href="u"><h2>a</h2></a>', '<h2><a class=c href="u">a</a></h2>'],
  [
    "<a href='u' id=i>\n<img src=p><div><p>a</p><hr></div>b</a>",
    "<a href='u' id=i>\n<img src=p></a><div><p><a href='u'>a</a></p><hr></div><a href='u'>b</a>",
  ],
  ["<a href=u><p>a</p><a href=v>b</a>", "<p><a href=u>a</a></p><a href=v>b</a>"],
])("moves a link around blocks into them: %s", (html, wanted) => {
  expect(withLinksInside(html)).toBe(wanted);
});

it.each(["<a href=u>a</a><p>b</p>", "<a name=n><p>a</p></a>", "<a href=u><div><!-- <b>x</b> --></div></a>", "<a href=u><p>a</p>"])(
  "leaves other links as they are: %s",
  (html) => {
    expect(withLinksInside(html)).toBeUndefined();
  },
);

it("leaves out the blanks around addresses, as browsers do", () => {
  const html = '<a href="\n u v ">a</a><img src=\' "p"\n\' alt=" b "><a href="w">c</a>';
  expect(withPlainAddresses(html)).toBe('<a href="u v">a</a><img src=\'"p"\' alt=" b "><a href="w">c</a>');
});

it.each([
  ["<pre>a <a href=u>b</a></pre>", true],
  ["<pre><a href='#l1'>1</a> b</pre><a href=u>c</a>", false],
])("finds links in code: %s", (html, wanted) => {
  expect(hasLinksInCode(html)).toBe(wanted);
});

it.each([
  ["<ul><h2>a</h2><li>b</li>c<li>d</ul>", "<ul><li><h2>a</h2></li><li>b</li><li>c</li><li>d</ul>"],
  ["<ol><li>a<ul><li>b</li></ul>c</li><ul><li>d</li></ul>e</ol>", "<ol><li>a<ul><li>b</li></ul>c</li><ul><li>d</li></ul><li>e</li></ol>"],
])("makes items of what is directly in a list: %s", (html, wanted) => {
  expect(withWholeLists(html)).toBe(wanted);
});

it.each(["<ul>\n<li>a</li> <!-- <li>b</li> --><script>c</script></ul>", "<ul>a</ul>", "<ul><li>a</li>b"])(
  "leaves lists without such parts as they are: %s",
  (html) => {
    expect(withWholeLists(html)).toBeUndefined();
  },
);

it("takes time in proportion to the page", () => {
  expectLinearTime((size) => withWholeLists("<ul><li>".repeat(size) + "<!--<script".repeat(size)), 20_000);
  expect(withWholeLists(`<ul>${"<li>a</li>b".repeat(70_000)}</ul>`)).toContain("<li>b</li>");
  expect(withLinksInside(`<a href=u>${"<p>a".repeat(70_000)}</a>`)).toContain("<p><a href=u>a</a>");
  expectLinearTime((size) => withLinksInside(`<a href=u>${"<p>a".repeat(size)}</a>`), 20_000);
});
