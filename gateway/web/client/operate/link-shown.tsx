import { t } from "#client/parts/language.tsx";
import { Secret, ShownOnce } from "#client/parts/shown-once.tsx";
import { instantText } from "#client/parts/words.ts";

export type Link = { readonly link: string; readonly expiresAt: string | null };

/** A one-time sign-in link, which is shown only once. */
export function LinkShown({ link: { link, expiresAt }, onClose }: { link: Link; onClose(): void }) {
  return (
    <ShownOnce said={t("text.signInLink", { when: expiresAt === null ? "" : instantText(expiresAt) })} onClose={onClose}>
      <Secret id="sign-in-link" text={link} />
    </ShownOnce>
  );
}
