import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Dialog } from "#client/parts/dialog.tsx";
import { FidelityMark } from "#client/parts/fidelity.tsx";
import { t, textOf } from "#client/parts/language.tsx";
import type { Fidelity, Format } from "#client/server/wire.ts";
import { KindTabs, kindsOf, kindText, rowsOf } from "./kind-tabs.tsx";
import { searched } from "./search.ts";

export type PickerGroup = { readonly label: string; readonly rows: readonly PickerRow[] };
export type PickerRow = {
  readonly id: string;
  readonly format: Format | undefined;
  readonly fidelity?: Fidelity;
  /** Replaces the format's name. */
  readonly words?: string;
  /** Replaces the id. */
  readonly sign?: string;
};

type PickerProps = {
  title: string;
  groups: readonly PickerGroup[];
  chosen: string | undefined;
  onChoose(id: string): void;
  onClose(): void;
};

/** A search field that controls a list (ARIA Authoring Practices: combobox). */
const combobox = { role: "combobox", list: undefined } as const;

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

/** A searchable list of formats. Arrow keys move, Enter chooses. */
export function FormatPicker({ title, groups, chosen, onChoose, onClose }: PickerProps) {
  const [query, setQuery] = useState("");
  const [kind, setKind] = useState<string>();
  const [active, setActive] = useState(0);
  const listId = useId();
  const search = useRef<HTMLInputElement>(null);
  const kinds = kindsOf(groups.flatMap((group) => group.rows));
  const shown = query.trim() !== "" ? found(groups, query) : kind === undefined ? groups : ofKind(groups, kind);
  const rows = shown.flatMap((group) => group.rows);
  useEffect(() => search.current?.focus(), []);
  const pick = (row: PickerRow | undefined): void => {
    if (row === undefined) return;
    onChoose(row.id);
    onClose();
  };
  const narrow = (words: string, wanted?: string): void => {
    setQuery(words);
    setKind(wanted);
    setActive(0);
  };
  const move = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (event.key === "Enter") pick(rows[active]);
    if (step === undefined || rows.length === 0) return;
    event.preventDefault();
    const next = Math.min(rows.length - 1, Math.max(0, active + step));
    setActive(next);
    document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <Dialog title={title} onClose={onClose} wide>
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: its role, spread in, supports them */}
      <input
        ref={search}
        type="search"
        class="picker-search"
        {...combobox}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={rows.length > 0 ? `${listId}-${active}` : undefined}
        aria-label={t("aria.searchFormats")}
        placeholder={t("label.searchExample")}
        autocomplete="off"
        spellcheck={false}
        value={query}
        onKeyDown={move}
        onInput={({ currentTarget }) => narrow(currentTarget.value)}
      />
      {kinds.length > 0 && <KindTabs kinds={kinds} chosen={kind} onChoose={(wanted) => narrow("", wanted)} />}
      <p class="sr-only" role="status">
        {t("count.formats", { n: rows.length })}
      </p>
      <div id={listId} role="listbox" aria-label={title} class="picker-list" tabIndex={-1}>
        <PickerGroups groups={shown} listId={listId} active={active} chosen={chosen} onPick={pick} />
        {rows.length === 0 && <p class="quiet picker-none">{t("text.nothingCalled", { query })}</p>}
      </div>
    </Dialog>
  );
}

type GroupsProps = {
  groups: readonly PickerGroup[];
  listId: string;
  active: number;
  chosen: string | undefined;
  onPick(row: PickerRow): void;
};

function PickerGroups({ groups, listId, active, chosen, onPick }: GroupsProps) {
  let index = -1;
  return groups.map((group) => (
    // biome-ignore lint/a11y/useSemanticElements: a listbox must not contain a fieldset
    <div role="group" aria-label={group.label} key={group.label} class="picker-group">
      <p class="picker-heading" aria-hidden="true">
        {group.label}
      </p>
      {group.rows.map((row) => {
        index += 1;
        const id = `${listId}-${index}`;
        return (
          <PickerOption
            key={row.id}
            id={id}
            row={row}
            isActive={index === active}
            isChosen={row.id === chosen}
            onPick={() => onPick(row)}
          />
        );
      })}
    </div>
  ));
}

type OptionProps = { id: string; row: PickerRow; isActive: boolean; isChosen: boolean; onPick(): void };

function PickerOption({ id, row, isActive, isChosen, onPick }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field has the focus and handles keys
    // biome-ignore lint/a11y/useFocusableInteractive: the search field refers to it (aria-activedescendant)
    <div id={id} role="option" aria-selected={isChosen} class={`picker-option${isActive ? " picker-active" : ""}`} onClick={onPick}>
      <code>{row.sign ?? row.id}</code>
      <span class="picker-label">{row.words ?? row.format?.label ?? row.id}</span>
      {row.fidelity !== undefined && <FidelityMark value={row.fidelity} />}
    </div>
  );
}

const vocabulary = {
  wordsFor: (thing: string): string => textOf(`words.${thing}`) ?? "",
  kindText: (kind: string): string => textOf(`kind.${kind}`) ?? "",
};

function ofKind(groups: readonly PickerGroup[], kind: string): readonly PickerGroup[] {
  const rows = groups.flatMap((group) => group.rows);
  return [{ label: kindText(kind), rows: rowsOf(rows, kind) }];
}

/** The matches of a search as one group, each format once. */
function found(groups: readonly PickerGroup[], query: string): readonly PickerGroup[] {
  const rows = new Map(groups.flatMap((group) => group.rows).map((row) => [row.id, row]));
  const matching = searched([...rows.values()], query, vocabulary);
  return matching.length === 0 ? [] : [{ label: t("kind.found"), rows: matching }];
}
