import { useState } from "preact/hooks";
import { Dialog } from "#client/parts/dialog.tsx";
import { Field, Form, problemWith, useSending } from "#client/parts/form.tsx";
import { t } from "#client/parts/language.tsx";
import { call } from "#client/server/api.ts";
import type { Plan } from "#client/server/wire.ts";
import { type Link, LinkShown } from "./link-shown.tsx";
import { PlanChoice } from "./plan-choice.tsx";

type NewProps = { plans: readonly Plan[]; onMade(): Promise<void>; onClose(): void };

/** Creates an account and shows its owner's sign-in link. */
export function NewAccount({ plans, onMade, onClose }: NewProps) {
  const sending = useSending();
  const [made, setMade] = useState<{ readonly email: string; readonly link: Link } | undefined>();
  const send = async ({ email = "", plan = "" }: Readonly<Record<string, string>>): Promise<void> => {
    const link = await call<Link>("/operator/accounts", { method: "POST", body: { email: email.trim(), plan } });
    setMade({ email: email.trim(), link });
    await onMade();
  };
  return (
    <Dialog title={made === undefined ? t("do.createAccount") : t("title.signInLink", { name: made.email })} onClose={onClose}>
      {made === undefined ? (
        <Form sending={sending} onSend={send} fields={["email"]} action={t("do.createAccount")}>
          <Field
            label={t("label.email")}
            name="email"
            type="email"
            required
            maxLength={320}
            problem={problemWith(sending.error, "email")}
          />
          <PlanChoice plans={plans} chosen={plans[0]?.id ?? ""} />
        </Form>
      ) : (
        <LinkShown link={made.link} onClose={onClose} />
      )}
    </Dialog>
  );
}
