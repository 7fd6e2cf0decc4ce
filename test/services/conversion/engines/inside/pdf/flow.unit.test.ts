import { expect, it } from "vitest";
import { blocksOfFlow } from "#services/conversion/engines/inside/pdf/flow.ts";
import { vocabularyOf } from "#services/conversion/engines/inside/pdf/inlines.ts";
import { piecesOf } from "#services/conversion/engines/inside/pdf/lines.ts";
import { type Look, runAt } from "./letters.ts";

const code: Look = { isMono: true };
const page = {
  ...{ rules: [], dots: [], number: 1, words: vocabularyOf([], false) },
  letters: { body: 10, pitch: 13, labels: new Set<string>() },
};

it("keeps a code block whole if its comments contain ideographs, which come from another font", () => {
  const lines = [
    ...[runAt("# ", 0, 13, code), runAt("安裝", 10, 13)],
    ...[runAt("npm install", 0, 26, code), runAt("# ", 0, 39, code), runAt("檢查", 10, 39), runAt("npm test", 0, 52, code)],
  ];
  expect(blocksOfFlow(piecesOf(lines), page)).toMatchObject([{ kind: "code", text: "# 安裝\nnpm install\n# 檢查\nnpm test" }]);
});
