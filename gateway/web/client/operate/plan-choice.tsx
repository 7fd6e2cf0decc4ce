import { t } from "#client/parts/language.tsx";
import type { Plan } from "#client/server/wire.ts";

/** Choice of an account's plan, as the field `plan` of a form. */
export function PlanChoice({ plans, chosen }: { plans: readonly Plan[]; chosen: string }) {
  return (
    <div class="field">
      <label for="plan">{t("label.plan")}</label>
      <select id="plan" name="plan" defaultValue={chosen}>
        {plans.map(({ id, label }) => (
          <option key={id} value={id} selected={id === chosen}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}
