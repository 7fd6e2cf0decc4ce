import { expect, it } from "vitest";
import { inOrder } from "#client/parts/in-order.ts";

it("drops only answers that arrive after a newer one", () => {
  const order = inOrder();
  const [first, second, third] = [order.ask(), order.ask(), order.ask()];
  expect([second(), first(), third(), second()]).toEqual([true, false, true, false]);
  expect(order.ask()()).toBe(true);
});
