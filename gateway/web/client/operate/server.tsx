import { Fact } from "#client/parts/fact.tsx";
import { Gauge } from "#client/parts/gauge.tsx";
import { rich, t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { countText, sizeText } from "#client/parts/words.ts";
import type { House } from "#client/server/wire.ts";

const doctor = <code dir="ltr">npm run -s filemill -- doctor</code>;

/** State of the server: readiness, isolation of engines, disk and queue. */
export function Server({ house }: { house: House }) {
  const { notReady, sandbox, disk, queue, proving, counts, door } = house;
  const isReady = notReady.length === 0;
  return (
    <section class="panel" aria-labelledby="server-title">
      <div class="panel-head">
        <h2 id="server-title">{t("title.server")}</h2>
        <span class={`state state-${isReady ? "active" : "failed"}`}>{t(isReady ? "state.ready" : "state.notReady")}</span>
      </div>
      {!isReady && <Notice tone="bad">{t("text.notReady", { parts: notReady.join(", ") })}</Notice>}
      {sandbox === "degraded" && <Notice tone="plain">{rich("text.degraded", { command: doctor })}</Notice>}
      <div class="gauges">
        <Gauge label={t("label.unfinishedJobs")} used={queue.unfinished} of={queue.limit} />
        {disk.freeBytes !== null && disk.sizeBytes !== null && (
          <Gauge label={t("label.disk")} used={disk.sizeBytes - disk.freeBytes} of={disk.sizeBytes} text={sizeText} />
        )}
        {proving !== null && <Gauge label={t("label.proving")} used={proving.done} of={proving.of} />}
      </div>
      <dl class="facts">
        <Fact label={t("label.runningNow")} value={countText(queue.running)} />
        <Fact label={t("label.conversions")} value={countText(counts.conversions)} />
        <Fact label={t("nav.formats")} value={countText(counts.formats)} />
        <Fact label={t("label.isolation")} value={t(sandbox === "full" ? "label.isolationFull" : "label.isolationReduced")} />
        <Fact label={t("label.ofAccounts")} value={sizeText(disk.accountsBytes)} />
        <Fact label={t("label.ofGuests")} value={sizeText(disk.guestsBytes)} />
        <Fact label={t("label.guests")} value={t(door.guests ? "label.yes" : "label.no")} />
        <Fact label={t("label.signUp")} value={t(door.signUpOpen ? "label.yes" : "label.no")} />
      </dl>
    </section>
  );
}
