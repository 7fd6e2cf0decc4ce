import { CopyButton } from "#client/parts/copy.tsx";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { instantText } from "#client/parts/words.ts";

export type Link = { readonly link: string; readonly expiresAt: string | null };

/** A one-time sign-in link, which is shown only once. */
export function LinkShown({ link: { link, expiresAt }, onClose }: { link: Link; onClose(): void }) {
  return (
    <div class="form">
      <Notice tone="plain">{t("text.signInLink", { when: expiresAt === null ? "" : instantText(expiresAt) })}</Notice>
      <div class="secret">
        <code id="sign-in-link" dir="ltr">
          {link}
        </code>
        <CopyButton text={link} label={t("do.copyLink")} source="sign-in-link" />
      </div>
      <div class="dialog-foot">
        <button type="button" class="button button-primary" onClick={onClose}>
          {t("do.done")}
        </button>
      </div>
    </div>
  );
}
