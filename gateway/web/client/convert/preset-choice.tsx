import { useId, useState } from "preact/hooks";
import { CopyButton } from "#client/parts/copy.tsx";
import { Dialog } from "#client/parts/dialog.tsx";
import { Field, Form, useSending } from "#client/parts/form.tsx";
import { IconButton } from "#client/parts/icon-button.tsx";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { messageOf } from "#client/server/api.ts";
import { me } from "#client/server/session.ts";
import type { Route } from "#client/server/wire.ts";
import { isPresetName, type OptionTexts, optionsText } from "#gateway/preset.ts";
import { change, type Item } from "./items.ts";
import { fittingPresets, keepPreset, linkOf, offeredPreset, pairOf, removePreset, shelf, textsOf } from "./presets.ts";

/** The presets that fit a conversion, and a dialog for saving its options as a preset. */
export function PresetChoice({ item, route }: { item: Item; route: Route }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const fitting = fittingPresets(route);
  const now = optionsText(textsOf(item.options));
  const chosen = fitting.find(([, choices]) => optionsText(textsOf(choices)) === now)?.[0];
  const take = (name: string): void => change(item.id, { options: fitting.find(([each]) => each === name)?.[1] ?? {} });
  const isEmpty = now === "" && Object.keys(shelf.value.presets).length === 0;
  return (
    <div class="preset-choice">
      {fitting.length > 0 && (
        <>
          <label for={id}>{t("label.preset")}</label>
          <select id={id} value={chosen ?? ""} onChange={({ currentTarget }) => take(currentTarget.value)}>
            <option value="">{t("label.none")}</option>
            {fitting.map(([name]) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </>
      )}
      <button type="button" class="link-button" disabled={isEmpty} onClick={() => setOpen(true)}>
        {t("do.presets")}
      </button>
      {isOpen && <PresetDialog options={textsOf(item.options)} route={route} onClose={() => setOpen(false)} />}
    </div>
  );
}

function PresetDialog({ options, route, onClose }: { options: OptionTexts; route: Route; onClose(): void }) {
  const [problem, setProblem] = useState<string | undefined>();
  const sending = useSending();
  const texts = optionsText(options);
  const save = async ({ name = "", always }: Readonly<Record<string, string>>): Promise<void> => {
    const isGood = isPresetName(name.trim());
    setProblem(isGood ? undefined : t("text.presetName"));
    if (isGood) await keepPreset(name.trim(), options, always === undefined ? undefined : pairOf(route));
  };
  return (
    <Dialog title={t("do.presets")} onClose={onClose}>
      <p class="quiet">{t(me.value?.account == null ? "text.presetsBrowser" : "text.presetsAccount")}</p>
      {texts !== "" && (
        <Form sending={sending} onSend={save} action={t("do.save")}>
          <Field label={t("label.name")} name="name" required maxLength={64} hint={texts} problem={problem} />
          <label class="check">
            <input type="checkbox" name="always" />{" "}
            {t("label.presetAlways", { from: route.from.toUpperCase(), to: route.to.toUpperCase() })}
          </label>
        </Form>
      )}
      <PresetList />
    </Dialog>
  );
}

function PresetList() {
  const [error, setError] = useState<unknown>();
  const { presets, defaults } = shelf.value;
  const remove = (name: string): void => void removePreset(name).catch(setError);
  return (
    <>
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      <ul class="rows" aria-label={t("do.presets")}>
        {Object.entries(presets).map(([name, options]) => (
          <li key={name} class="preset-row">
            <p>
              <strong>{name}</strong>{" "}
              <bdi dir="ltr" class="quiet">
                {optionsText(options)}
              </bdi>
              {Object.entries(defaults).flatMap(([pair, preset]) =>
                preset === name ? [<span class="badge">{pair.toUpperCase().replace(" ", " → ")}</span>] : [],
              )}
            </p>
            <CopyButton text={linkOf(name, options)} label={t("do.copyLink")} />
            <IconButton icon="trash" label={t("aria.delete", { name })} onClick={() => remove(name)} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A preset from a link is saved only if the reader agrees, because anybody could have made the link. */
export function OfferedPreset() {
  const [offered, setOffered] = useState(offeredPreset);
  const sending = useSending();
  if (offered === undefined) return null;
  const { name, options } = offered;
  const take = (): void =>
    void sending.run(async () => {
      await keepPreset(name, options);
      setOffered(undefined);
    });
  return (
    <Notice tone="plain">
      <p>{t("text.presetOffered", { name, options: optionsText(options) })}</p>
      {Object.hasOwn(shelf.value.presets, name) && <p>{t("text.presetReplaces", { name })}</p>}
      {sending.error !== undefined && <p>{messageOf(sending.error)}</p>}
      <p class="actions">
        <button type="button" class="button button-primary button-small" disabled={sending.busy} onClick={take}>
          {t("do.save")}
        </button>
        <button type="button" class="button button-small" onClick={() => setOffered(undefined)}>
          {t("do.close")}
        </button>
      </p>
    </Notice>
  );
}
