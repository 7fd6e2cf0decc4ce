import { t } from "#client/parts/language.tsx";
import { type Filter, filters } from "./use-jobs.ts";

export function StateChoice({ filter, onChoose }: { filter: Filter; onChoose(filter: Filter): void }) {
  return (
    <label>
      {t("label.show")}
      <select value={filter} onChange={({ currentTarget }) => onChoose(filters.find((each) => each === currentTarget.value) ?? "all")}>
        {filters.map((each) => (
          <option key={each} value={each}>
            {t(`state.${each}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
