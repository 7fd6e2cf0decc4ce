import { IconButton } from "#client/parts/icon-button.tsx";
import { t } from "#client/parts/language.tsx";
import { type Item, items } from "./items.ts";
import { canBeJoined, moveTo } from "./join.ts";

/** Nobody sorts longer lists by hand. */
const MAX_ORDERED = 100;

/** Buttons for moving a card by keyboard. The order matters when files are joined. */
export function PlaceButtons({ item, place, count }: { item: Item; place: number; count: number }) {
  if (count < 2 || count > MAX_ORDERED || !canBeJoined(item)) return null;
  return (
    <>
      <IconButton
        icon="moveUp"
        class="place-button"
        label={t("aria.moveUp", { name: item.name })}
        disabled={place === 0}
        onClick={() => moveTo(item.id, place - 1)}
      />
      <IconButton
        icon="moveDown"
        class="place-button"
        label={t("aria.moveDown", { name: item.name })}
        disabled={place === count - 1}
        onClick={() => moveTo(item.id, place + 1)}
      />
    </>
  );
}

const kind = "application/x-filemill-item";

/** Event handlers for moving a card by dragging it onto another one. */
export function draggingOf(item: Item, count: number) {
  if (count < 2 || !canBeJoined(item)) return {};
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => event.dataTransfer?.setData(kind, item.id),
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer?.types.includes(kind) === true) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      const id = event.dataTransfer?.getData(kind);
      if (id === undefined || id === "") return;
      event.preventDefault();
      moveTo(id, items.peek().indexOf(item));
    },
  };
}
