import { expect, it } from "vitest";
import { withSimpleFences } from "#services/conversion/inspectors/inside/markdown-fences.ts";
import { expectLinearTime } from "#test/harness/linear-growth.ts";

it.each([
  ['```js title="a b.js" {1}\nx\n```\n', "```js\nx\n```\n"],
  ["```{r echo=FALSE}\r\nx\r\n```\r\n", "```r\r\nx\r\n```\r\n"],
  ["1. a\n   ~~~ python {.numberLines}\n   x\n   ~~~\n", "1. a\n   ~~~python\n   x\n   ~~~\n"],
  ["> - ```sh copy\n>   x\n>   ```\n", "> - ```sh\n>   x\n>   ```\n"],
  ["text\n~~~\nx\n~~~\n", "text\n\n~~~\nx\n~~~\n"],
  ["````md x\n```js a b\n````\n", "````md\n```js a b\n````\n"],
  ["```\nx\n", "```\nx\n\n```"],
])("writes fences that Pandoc knows: %s", (text, wanted) => {
  expect(withSimpleFences(text)).toBe(wanted);
});

it.each(["```js\nx\n```\n", '``` {.python title="x"}\nx\n```\n', "text\n\n    ```js a b\n    ```\n", "a ``` b c ``` d\n", "```a b``` c\n"])(
  "leaves others unchanged: %s",
  (text) => {
    expect(withSimpleFences(text)).toBeUndefined();
  },
);

it.each(["```a b\n", "> - - - ```a b\n", "~~~ a b", "- - - - - \n"])("takes linear time: %s", (piece) => {
  expectLinearTime((times) => withSimpleFences(`\`\`\`\n${piece.repeat(times)}`), 100_000);
});
