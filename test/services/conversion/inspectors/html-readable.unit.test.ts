import { expect, it } from "vitest";
import { withColumns } from "#services/conversion/inspectors/inside/html-columns.ts";
import { withControls } from "#services/conversion/inspectors/inside/html-controls.ts";
import { addsText } from "#services/conversion/inspectors/inside/html-generated.ts";
import { withWholeHeads } from "#services/conversion/inspectors/inside/html-heads.ts";
import { withoutHidden } from "#services/conversion/inspectors/inside/html-hidden.ts";
import { withItemNumbers } from "#services/conversion/inspectors/inside/html-lists.ts";
import { expectLinearTime } from "#test/harness/linear-growth.ts";

it.each([
  ["<table><col span=3><tr><td>1</td><td>2</td></tr></table>", "<table><tr><td>1</td><td>2</td></tr></table>"],
  ["<table><colgroup><col/></colgroup><tr><td colspan=2>1</td></tr></table>", '<table><tr><td colspan="1">1</td></tr></table>'],
  [
    '<table><tr><td rowspan="2">r</td><td>x</td></tr><tr><td>1</td><td>2</td></tr></table>',
    '<table><tr><td rowspan="2">r</td><td>x</td><td></td></tr><tr><td>1</td><td>2</td></tr></table>',
  ],
  [
    '<table><tr><td colspan="100%">all</td></tr><tr><td>1</td><td colspan=2>2</td></tr></table>',
    '<table><tr><td colspan="2">all</td></tr><tr><td>1</td><td colspan="1">2</td></tr></table>',
  ],
])("lets no list of columns and no spanned row hide cells: %s", (html, wanted) => {
  expect(withColumns(html)).toBe(wanted);
});

it.each([
  ['<ol><li>a</li><li value="7">b</li><li>c</li></ol>', '<ol><li>a</li></ol><ol type="1" start="7"><li value="7">b</li><li>c</li></ol>'],
  ["<ol type=a><li value=3>c<li>d</ol>", '<ol type="a" start="3"><li value=3>c<li>d</ol>'],
  ["<ol reversed><li>b<li>a</ol>", '<ol type="1" start="2"><li>b</ol><ol type="1" start="1"><li>a</ol>'],
])("keeps the numbers of list items: %s", (html, wanted) => {
  expect(withItemNumbers(html)).toBe(wanted);
});

it.each([
  ["<input type=checkbox checked> a <input type=radio> b", " &#x2612;  a  &#x2610;  b"],
  ['<input value="5 < 6"><input type=hidden value=x><input type="submit" value="Go">', " 5 &lt; 6 "],
  ["<textarea>one\n<b>two</textarea>", " one<br>&lt;b&gt;two "],
  ["<select><option>One<option selected>Two</select>", " Two "],
  ["<select><option>One</option><option>Two</option></select>", " One "],
  ["<ruby>a<rt>b</rt></ruby>", "<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby>"],
])("writes what a form or ruby text shows: %s", (html, wanted) => {
  expect(withControls(html)).toBe(wanted);
});

it.each([
  ["<p hidden>a<p>b", "<p>b"],
  ['<div style="color:red; display : none"><div>a</div>b</div>c', "c"],
  [
    '<style>/* .b{} */ .a, p.c{color:red;display: none}</style><b class="x a">1</b><p class=c>2</p><i class=c>3</i>',
    "<style>/* .b{} */ .a, p.c{color:red;display: none}</style><i class=c>3</i>",
  ],
  ["a<b style='visibility:hidden'>b</b>c", "ac"],
  ["<style>.a{visibility:hidden}</style>a<b class=a>b</b>c", "<style>.a{visibility:hidden}</style>ac"],
  ["a<template><b>b</b></template><input hidden>c", "ac"],
  ["<ul><li hidden>a<ul><li>b</li></ul></li><li>c</li></ul>", "<ul><li>c</li></ul>"],
])("leaves out what no browser shows: %s", (html, wanted) => {
  expect(withoutHidden(html)).toBe(wanted);
});

it.each([
  '<body style="display:none">a',
  '<a href="?a hidden" title="a hidden b">b</a>',
  '<p style="--x-display:none">a',
  '<div aria-hidden="true">a</div>',
  // Shown by another rule, or hidden only on paper, on a small screen or beside another.
  "<style>.a{display:none} .a.on{display:block}</style><b class='a on'>b</b>",
  '<style media="print">.a{display:none}</style><b class=a>b</b>',
  "<style>@media (max-width:9em){.a{display:none}} nav .b{display:none}</style><b class='a b'>b</b>",
  "<style>.a{display:none}</style><b class=a style='display:inline'>b</b>",
  "<style>.a{visibility:hidden} .on .a{visibility:visible}</style><b class=a>b</b>",
  '<aside epub:type="footnote" hidden>a note of a book</aside>',
  "<p>display: none</p>",
  "<div hidden>without an end",
])("keeps what may be shown: %s", (html) => {
  expect(withoutHidden(html)).toBeUndefined();
});

it.each([
  ['.a::before{content:"NOT "}', "<b class='x a'>b</b>", true],
  ["p > b:after{color:red;content:attr(title)}", "<p><b title=x>b</b>", true],
  ["h2::before{content:counter(part) '. '}", "<h2>b</h2>", true],
  // Signs, without such an element, and only on paper.
  ['.a::before{content:"\\f001"} .a::after{content:"\\201d"}', "<b class=a>b</b>", false],
  ['.a::before{content:"NOT "} i#b::before{content:"x"}', "<b id=b>b</b>", false],
  ["@media print{a::after{content:attr(href)}}", "<a href=x>b</a>", false],
  ["[data-tip]::after{content:attr(data-tip)}", "<b data-tip=x>b</b>", true],
  ["[data-tip]::after{content:attr(data-tip)}", "<b>b</b>", false],
  ["a:hover::after{content:attr(href)}", "<a href=x>b</a>", false],
])("knows whether style sheets add words: %s", (sheet, page, wanted) => {
  expect(addsText(page, [sheet])).toBe(wanted);
});

it("knows of many such rules for many elements soon", () => {
  const sheet = Array.from({ length: 30_000 }, (_, place) => `.a.b${place}::before{content:"x"}`).join("");
  expect(addsText("<b class=a></b>".repeat(30_000), [sheet])).toBe(false);
});

it("leaves what Pandoc reads itself unchanged", () => {
  expect(withColumns("<table><col width=30%><col><tr><td>1</td><td>2</td></tr></table>")).toBeUndefined();
  expect(withItemNumbers('<ol start=4><li value=4>a<li>b<ol><li value="1">c</ol></ol><ul><li value=3></ul>')).toBeUndefined();
  expect(withControls("<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby>")).toBeUndefined();
});

it.each([
  [withColumns, "<table><col><tr><td rowspan=9>"],
  [withItemNumbers, "<ol reversed><li value=9>"],
  [withControls, "<select><option>"],
  [withControls, "<rt><input value="],
  [withWholeHeads, "<table><tr><th rowspan=9>a</th></tr>"],
  [(html: string) => addsText(html, ["b::before{content:'x'}"]), "<i class=a>"],
  [withoutHidden, "<div hidden><p hidden>"],
] as const)("takes linear time", (change, piece) => {
  expectLinearTime((times) => change(piece.repeat(times)), 40_000);
});
