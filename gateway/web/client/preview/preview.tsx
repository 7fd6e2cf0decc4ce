import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import type { PreviewProps } from "./views.ts";

/** A preview of a result. Its code is loaded when the first one is shown. */
export function Preview(props: PreviewProps) {
  const [shown, setShown] = useState<{ readonly Shown: ComponentType<PreviewProps> } | undefined>();
  useEffect(() => {
    // If this fails, the result can still be downloaded.
    import("./shown.tsx").then(setShown, () => {});
  }, []);
  return shown === undefined ? <p class="quiet">{t("text.loading")}</p> : <shown.Shown {...props} />;
}
