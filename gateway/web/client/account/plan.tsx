import { Gauge } from "#client/parts/gauge.tsx";
import { linkTo, rich, t } from "#client/parts/language.tsx";
import { Secret } from "#client/parts/shown-once.tsx";
import { countText, durationText, hoursText, sizeText } from "#client/parts/words.ts";
import type { Account } from "#client/server/wire.ts";

/** The plan's limits and their current usage. */
export function PlanPanel({ account }: { account: Account }) {
  const { plan, usage } = account;
  return (
    <section class="panel" aria-labelledby="plan-title">
      <h2 id="plan-title">{t("title.plan", { plan: plan.label })}</h2>
      {!plan.apiAccess && <NoAccess email={account.email} />}
      <div class="gauges">
        <Gauge label={t("label.requests")} used={usage.requestsThisMinute} of={plan.requestsPerMinute} />
        <Gauge label={t("label.unfinishedJobs")} used={usage.unfinishedJobs} of={plan.maxUnfinishedJobs} />
        <Gauge label={t("label.space")} used={usage.storedBytes} of={plan.maxStoredMb * 1e6} text={sizeText} />
        <Gauge
          label={t("label.processorTime")}
          used={usage.processorSecondsThisHour}
          of={plan.processorSecondsPerHour}
          text={secondsText}
        />
      </div>
      <dl class="facts">
        <div>
          <dt>{t("label.largestFile")}</dt>
          <dd>{sizeText(plan.maxInputMb * 1e6)}</dd>
        </div>
        <div>
          <dt>{t("label.largestResult")}</dt>
          <dd>{sizeText(plan.maxResultMb * 1e6)}</dd>
        </div>
        <div>
          <dt>{t("label.resultsKept")}</dt>
          <dd>{hoursText(plan.retentionHours)}</dd>
        </div>
        <div>
          <dt>{t("label.apiAccess")}</dt>
          <dd>{t(plan.apiAccess ? "label.yes" : "label.no")}</dd>
        </div>
      </dl>
    </section>
  );
}

const secondsText = (seconds: number): string => (seconds === 0 ? t("time.s", { n: countText(0) }) : durationText(seconds * 1000));

function NoAccess({ email }: { email: string }) {
  const line = `npm run -s filemill -- accounts set-plan ${email} plus`;
  return (
    <div class="no-access">
      <p>{rich("text.noApiAccess", { a: linkTo("/") })}</p>
      <Secret id="set-plan" text={line} />
    </div>
  );
}
