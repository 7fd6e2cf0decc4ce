import { Fact } from "#client/parts/fact.tsx";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { useRenewed } from "#client/parts/use-renewed.ts";
import { countText } from "#client/parts/words.ts";
import { messageOf } from "#client/server/api.ts";
import type { Engine, House } from "#client/server/wire.ts";

const ENGINES_MS = 30_000;

/** The installed engines and the number of their listed conversions. */
export function Engines({ house }: { house: House }) {
  const { value, error } = useRenewed<{ engines: readonly Engine[] }>("/operator/engines", ENGINES_MS);
  const engines = value?.engines ?? [];
  return (
    <section class="panel" aria-labelledby="engines-title">
      <h2 id="engines-title">{t("title.engines", { n: engines.length })}</h2>
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      {house.unproven.length > 0 && <Notice tone="plain">{t("text.unproven", { engines: house.unproven.join(", ") })}</Notice>}
      <ul class="rows">
        {engines.map((engine) => (
          <li key={engine.id} class="row engine-row">
            <div class="row-main">
              <p class="row-name">{engine.label}</p>
              <p class="quiet">
                <code>{engine.id}</code> · <bdi dir="ltr">{engine.versions.join(", ")}</bdi>
              </p>
            </div>
            <dl class="row-facts">
              <Fact label={t("label.conversions")} value={countText(engine.conversions)} />
              <Fact label={t("label.nodes")} value={countText(engine.nodes)} />
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}
