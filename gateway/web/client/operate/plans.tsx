import { Fact } from "#client/parts/fact.tsx";
import { rich, t } from "#client/parts/language.tsx";
import { countText, durationText, hoursText, sizeText } from "#client/parts/words.ts";
import type { Plan } from "#client/server/wire.ts";

/** The limits of each plan. */
export function Plans({ plans }: { plans: readonly Plan[] }) {
  return (
    <section class="panel" aria-labelledby="plans-title">
      <h2 id="plans-title">{t("title.plans")}</h2>
      <p class="quiet">{rich("text.plansFile")}</p>
      {plans.map((plan) => (
        <details key={plan.id} class="plan-row">
          <summary>
            {plan.label} <code>{plan.id}</code>
          </summary>
          <dl class="facts">
            <Fact label={t("label.apiAccess")} value={t(plan.apiAccess ? "label.yes" : "label.no")} />
            <Fact label={t("label.largestFile")} value={sizeText(plan.maxInputMb * 1e6)} />
            <Fact label={t("label.largestResult")} value={sizeText(plan.maxResultMb * 1e6)} />
            <Fact label={t("label.space")} value={sizeText(plan.maxStoredMb * 1e6)} />
            <Fact label={t("label.perMinute")} value={countText(plan.requestsPerMinute)} />
            <Fact label={t("label.unfinishedJobs")} value={countText(plan.maxUnfinishedJobs)} />
            <Fact label={t("label.perHour")} value={durationText(plan.processorSecondsPerHour * 1000)} />
            <Fact label={t("label.resultsKept")} value={hoursText(plan.retentionHours)} />
          </dl>
        </details>
      ))}
    </section>
  );
}
