import { expect, it } from "vitest";
import { inOrder } from "#client/operate/in-order.ts";

it("drops an answer that is slower than a later one, and no other", () => {
  const order = inOrder();
  const [first, second, third] = [order.ask(), order.ask(), order.ask()];
  expect([second(), first(), third(), second()]).toEqual([true, false, true, false]);
  expect(order.ask()()).toBe(true);
});
