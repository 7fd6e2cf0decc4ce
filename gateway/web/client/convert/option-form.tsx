import { useId } from "preact/hooks";
import { languageOfPage, t, textOf } from "#client/parts/language.tsx";
import { Prose } from "#client/parts/prose.tsx";
import type { Option } from "#client/server/wire.ts";
import type { Choices } from "./items.ts";

type FormProps = { options: readonly Option[]; chosen: Choices; onChange(chosen: Choices): void };
type Value = string | number | boolean;

/** A control for each option of a conversion. Unchanged options are not sent. */
export function OptionForm({ options, chosen, onChange }: FormProps) {
  const set = (name: string, value: Value | undefined): void => {
    const { [name]: _before, ...others } = chosen;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  const changed = Object.keys(chosen).length;
  return (
    <div class="options">
      <div class="options-grid">
        {options.map((option) => (
          <OptionField key={option.name} option={option} value={chosen[option.name]} onChange={(value) => set(option.name, value)} />
        ))}
      </div>
      <p class="options-foot">
        <button type="button" class="link-button" disabled={changed === 0} onClick={() => onChange({})}>
          {t("do.resetOptions")}
        </button>
      </p>
    </div>
  );
}

type FieldProps = { option: Option; value: Value | undefined; onChange(value: Value | undefined): void };

function OptionField({ option, value, onChange }: FieldProps) {
  const id = useId();
  const hint = `${id}-hint`;
  const label = titleOf(option.name);
  const range = rangeOf(option);
  return (
    <div class={`field${value === undefined ? "" : " field-changed"}`}>
      <div class="field-head">
        <label for={id}>{label}</label>
        {range !== "" && <span class="quiet">{range}</span>}
      </div>
      <Control id={id} hint={hint} option={option} value={value} onChange={onChange} />
      <p id={hint} class="hint" {...(languageOfPage() === "en" ? {} : { lang: "en", dir: "auto" as const })}>
        <Prose text={option.description} />
      </p>
    </div>
  );
}

function Control({ id, hint, option, value, onChange }: FieldProps & { id: string; hint: string }) {
  const common = { id, "aria-describedby": hint };
  switch (option.type) {
    case "boolean":
      return option.default === null ? (
        <select {...common} value={String(value ?? "")} onChange={({ currentTarget }) => onChange(truthOf(currentTarget.value))}>
          <option value="">{t("label.automatic")}</option>
          <option value="true">{t("label.yes")}</option>
          <option value="false">{t("label.no")}</option>
        </select>
      ) : (
        <input
          {...common}
          type="checkbox"
          role="switch"
          class="switch"
          checked={Boolean(value ?? option.default)}
          aria-checked={Boolean(value ?? option.default)}
          onChange={({ currentTarget }) => onChange(currentTarget.checked === option.default ? undefined : currentTarget.checked)}
        />
      );
    case "enum":
      return (
        <select
          {...common}
          value={String(value ?? option.default ?? "")}
          onChange={({ currentTarget }) => onChange(currentTarget.value === String(option.default ?? "") ? undefined : currentTarget.value)}
        >
          {option.default === null && <option value="">{t("label.automatic")}</option>}
          {option.values?.map((each) => (
            <option key={each} value={each}>
              {valueText(option.name, each)}
            </option>
          ))}
        </select>
      );
    case "integer":
    case "number":
      return <NumberControl common={common} option={option} value={value} onChange={onChange} />;
    case "string":
      return (
        <input
          {...common}
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder={option.default === null ? t("label.automatic") : String(option.default)}
          value={String(value ?? "")}
          onInput={({ currentTarget }) => onChange(currentTarget.value === "" ? undefined : currentTarget.value)}
        />
      );
  }
}

type NumberProps = FieldProps & { common: { id: string; "aria-describedby": string } };

/** A number field, with a slider if the range is small enough. */
function NumberControl({ common, option, value, onChange }: NumberProps) {
  const { min, max, default: preset, type, name } = option;
  const slides = preset !== null && min !== undefined && max !== undefined && max - min <= 1000;
  const step = type === "integer" ? 1 : "any";
  const take = (text: string): void => onChange(text === "" || Number(text) === preset ? undefined : Number(text));
  const shown = value ?? preset;
  return (
    <div class="number">
      {slides && (
        <input
          type="range"
          aria-label={t("aria.slider", { label: titleOf(name) })}
          min={min}
          max={max}
          step={type === "integer" ? 1 : (max - min) / 100}
          value={Number(shown ?? min)}
          onInput={({ currentTarget }) => take(currentTarget.value)}
        />
      )}
      <input
        {...common}
        type="number"
        inputMode={type === "integer" ? "numeric" : "decimal"}
        min={min}
        max={max}
        step={step}
        placeholder={preset === null ? t("label.automatic") : String(preset)}
        value={value === undefined ? "" : String(value)}
        onInput={({ currentTarget }) => take(currentTarget.value)}
      />
      {option.unit !== undefined && <span class="unit">{option.unit}</span>}
    </div>
  );
}

function truthOf(text: string): boolean | undefined {
  return text === "" ? undefined : text === "true";
}

/** A value for display: `ebook` of `optimise` is "for e-readers". Values without a text are shown as names. */
export function valueText(option: string, value: string): string {
  const known = textOf(`value.${option}.${value}`) ?? textOf(`value.${value}`);
  if (known !== undefined) return known;
  if (option === "rotate") return `${value}°`;
  return /^(?:[a-z]+-?\d[\w-]*|[a-z]{2,4})$/.test(value) ? value.toUpperCase() : value;
}

const acronyms = new Set(["pdf", "dpi", "fps", "crf", "cmyk", "rgb", "ocr", "css", "csv", "dct", "id", "toc", "xml", "url"]);

/** An option's label: its text, otherwise its name in words. `imageDpi` becomes "Image DPI". */
export function titleOf(name: string): string {
  return textOf(`option.${name}`) ?? spelled(name);
}

function spelled(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[-_ ]/);
  const [first = "", ...rest] = words.map((word) => (acronyms.has(word) ? word.toUpperCase() : word));
  return [`${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...rest].join(" ");
}

function rangeOf({ min, max, unit }: Option): string {
  const suffix = unit === undefined ? "" : ` ${unit}`;
  if (min !== undefined && max !== undefined) return t("label.range", { min, max: `${max}${suffix}` });
  if (min !== undefined) return t("label.from", { min: `${min}${suffix}` });
  return max === undefined ? "" : t("label.upTo", { max: `${max}${suffix}` });
}
