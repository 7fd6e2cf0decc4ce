import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import type { PreviewProps } from "./views.ts";

/** A result to look at. How it is shown is fetched when the first one is. */
export function Preview(props: PreviewProps) {
  const [shown, setShown] = useState<{ readonly Shown: ComponentType<PreviewProps> } | undefined>();
  useEffect(() => {
    // Without it the result can still be taken.
    import("./shown.tsx").then(setShown, () => {});
  }, []);
  return shown === undefined ? <p class="quiet">{t("text.loadingPreview")}</p> : <shown.Shown {...props} />;
}
