import { t } from "#client/parts/language.tsx";
import { messageOf } from "#client/server/api.ts";
import type { Route } from "#client/server/wire.ts";
import { formatOf } from "./catalogue.ts";
import { FormatPicker, type PickerGroup, type PickerRow } from "./format-picker.tsx";
import { change, enter, type Item, items } from "./items.ts";
import { canBeJoined, joinIntoOne } from "./join.ts";
import { kindText } from "./kind-tabs.tsx";
import { usedTargets } from "./memory.ts";
import { isOwn, ownTitleOf } from "./own-format.ts";
import { byUse, groupedByKind, popularOf } from "./popular.ts";
import { choose } from "./run.ts";
import { type Task, tasksOf } from "./tasks.ts";

type TargetProps = { item: Item; routes: readonly Route[]; onClose(): void };

const taskPrefix = "task:";
const joinTask = `${taskPrefix}join`;

/** Choice of a target format, or of a task. */
export function TargetPicker({ item, routes, onClose }: TargetProps) {
  const { from = "" } = item;
  const tasks = tasksOf(routes, kindOf(from));
  const pick = (id: string): void => {
    const task = tasks.find(({ name }) => `${taskPrefix}${name}` === id);
    if (id === joinTask) void join(item);
    else if (task === undefined) choose(item.id, id);
    else {
      choose(item.id, task.to);
      change(item.id, { options: task.options });
    }
  };
  return (
    <FormatPicker
      title={t("title.convertFromTo", { format: from })}
      groups={[...taskGroups(tasks), ...targetGroups(routes, from)]}
      chosen={item.to}
      onChoose={pick}
      onClose={onClose}
    />
  );
}

async function join(item: Item): Promise<void> {
  try {
    await joinIntoOne(items.value.filter(canBeJoined));
  } catch (error) {
    enter(item.id, { name: "failed", failure: { code: "PAGE_FAILED", message: messageOf(error), details: {} } });
  }
}

function taskGroups(tasks: readonly Task[]): readonly PickerGroup[] {
  const rows = tasks.map(
    ({ name, to }): PickerRow => ({ id: `${taskPrefix}${name}`, sign: to, format: undefined, words: t(`task.${name}`) }),
  );
  const canJoin = items.value.filter(canBeJoined).length > 1;
  const all = canJoin ? [...rows, { id: joinTask, sign: "pdf", format: undefined, words: t("task.join") }] : rows;
  return all.length === 0 ? [] : [{ label: t("kind.tasks"), rows: all }];
}

function targetGroups(routes: readonly Route[], from: string): readonly PickerGroup[] {
  const kind = kindOf(from);
  const used = usedTargets();
  const rowOf = (route: Route): PickerRow => ({
    ...{ id: route.to, format: formatOf(route.to), fidelity: route.fidelity },
    ...(isOwn(route) && { words: ownTitleOf(route) }),
  });
  const popular = popularOf(routes, kind, 6, used);
  const own = routes.filter(isOwn);
  const others = routes.filter((route) => !popular.includes(route) && !own.includes(route));
  return [
    ...(popular.length > 0 ? [{ label: t("kind.popular"), rows: popular.map(rowOf) }] : []),
    ...(own.length > 0 ? [{ label: t("kind.own"), rows: own.map(rowOf) }] : []),
    ...groupedByKind(others, kind, formatOf).map(([group, members]) => ({
      label: kindText(group),
      rows: byUse(members, group, used).map(rowOf),
    })),
  ];
}

function kindOf(format: string): string {
  return formatOf(format)?.kind ?? "";
}
