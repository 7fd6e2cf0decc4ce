import { CopyButton } from "#client/parts/copy.tsx";
import { durationText, sizeText } from "#client/parts/words.ts";
import type { Account } from "#client/server/wire.ts";

/** What the plan allows and what of it is used now. */
export function PlanPanel({ account }: { account: Account }) {
  const { plan, usage } = account;
  return (
    <section class="panel" aria-labelledby="plan-title">
      <h2 id="plan-title">Plan: {plan.label}</h2>
      {!plan.apiAccess && <NoAccess email={account.email} />}
      <div class="gauges">
        <Gauge label="Requests this minute" used={usage.requestsThisMinute} of={plan.requestsPerMinute} />
        <Gauge label="Unfinished jobs" used={usage.unfinishedJobs} of={plan.maxUnfinishedJobs} />
        <Gauge label="Space for files and results" used={usage.storedBytes} of={plan.maxStoredMb * 1e6} text={sizeText} />
        <Gauge
          label="Processor time this hour"
          used={usage.processorSecondsThisHour}
          of={plan.processorSecondsPerHour}
          text={secondsText}
        />
      </div>
      <dl class="facts">
        <div>
          <dt>Largest file</dt>
          <dd>{sizeText(plan.maxInputMb * 1e6)}</dd>
        </div>
        <div>
          <dt>Largest result</dt>
          <dd>{sizeText(plan.maxResultMb * 1e6)}</dd>
        </div>
        <div>
          <dt>Results are kept</dt>
          <dd>{plan.retentionHours} h</dd>
        </div>
        <div>
          <dt>API access</dt>
          <dd>{plan.apiAccess ? "yes" : "no"}</dd>
        </div>
      </dl>
    </section>
  );
}

const secondsText = (seconds: number): string => (seconds === 0 ? "0 s" : durationText(seconds * 1000));

function NoAccess({ email }: { email: string }) {
  const line = `npm run -s filemill -- accounts set-plan ${email} plus`;
  return (
    <div class="no-access">
      <p>
        <strong>This plan has no API access.</strong> You can convert on the <a href="/">converter page</a>. For keys, the operator of this
        server runs:
      </p>
      <div class="secret">
        <code id="set-plan">{line}</code>
        <CopyButton text={line} label="Copy" source="set-plan" />
      </div>
    </div>
  );
}

type GaugeFacts = { label: string; used: number; of: number; text?: (amount: number) => string };

function Gauge({ label, used, of, text = (amount) => amount.toLocaleString("en") }: GaugeFacts) {
  return (
    <div class="gauge">
      <p>
        <span>{label}</span>
        <span class="quiet">
          {text(used)} of {text(of)}
        </span>
      </p>
      <meter min={0} max={of} value={used} aria-label={`${label}: ${text(used)} of ${text(of)}`} />
    </div>
  );
}
