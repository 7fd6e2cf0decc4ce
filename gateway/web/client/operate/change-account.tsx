import { useState } from "preact/hooks";
import { Confirm } from "#client/parts/confirm.tsx";
import { Dialog } from "#client/parts/dialog.tsx";
import { Form, useSending } from "#client/parts/form.tsx";
import { rich, t } from "#client/parts/language.tsx";
import { call } from "#client/server/api.ts";
import type { AccountFacts, Plan } from "#client/server/wire.ts";
import { type Link, LinkShown } from "./link-shown.tsx";
import { PlanChoice } from "./plan-choice.tsx";

type ChangeProps = { account: AccountFacts; isOwn: boolean; plans: readonly Plan[]; onChanged(): Promise<void>; onClose(): void };
type Asked = "suspend" | "operator" | "delete";

/** An operator's actions on an account. Their own account offers only actions that take nothing away. */
export function ChangeAccount({ account, isOwn, plans, onChanged, onClose }: ChangeProps) {
  const sending = useSending();
  const [asked, setAsked] = useState<Asked | undefined>();
  const [link, setLink] = useState<Link | undefined>();
  const path = `/operator/accounts/${account.id}`;
  const change = async (body: object): Promise<void> => {
    await call(path, { method: "PATCH", body });
    await onChanged();
    onClose();
  };
  const { email } = account;
  if (link !== undefined) {
    return (
      <Dialog title={t("title.signInLink", { name: email })} onClose={onClose}>
        <LinkShown link={link} onClose={onClose} />
      </Dialog>
    );
  }
  if (asked !== undefined) {
    const remove = async (): Promise<void> => {
      await call(path, { method: "DELETE" });
      await onChanged();
      onClose();
    };
    return <Asking asked={asked} email={email} onChange={change} onRemove={remove} onClose={onClose} />;
  }
  const run = (act: () => Promise<void>) => () => void sending.run(act);
  const makeLink = async (): Promise<void> => setLink(await call<Link>(`${path}/link`, { method: "POST" }));
  return (
    <Dialog title={email} onClose={onClose}>
      <Form sending={sending} onSend={({ plan = "" }) => change({ plan })} action={t("do.save")}>
        <PlanChoice plans={plans} chosen={account.plan} />
      </Form>
      <div class="account-acts">
        <button type="button" class="button" disabled={sending.busy} onClick={run(makeLink)}>
          {t("do.signInLink")}
        </button>
        {!isOwn && <Rights account={account} onAsk={setAsked} onChange={(body) => run(() => change(body))()} />}
      </div>
    </Dialog>
  );
}

type AskingProps = { asked: Asked; email: string; onChange(body: object): Promise<void>; onRemove(): Promise<void>; onClose(): void };

/** Asks for confirmation before rights are taken away or granted. */
function Asking({ asked, email, onChange, onRemove, onClose }: AskingProps) {
  if (asked === "suspend") {
    const suspend = (): Promise<void> => onChange({ disabled: true });
    return (
      <Confirm title={t("title.suspend", { name: email })} action={t("do.suspend")} onConfirm={suspend} onClose={onClose}>
        <p>{t("text.suspend")}</p>
      </Confirm>
    );
  }
  if (asked === "operator") {
    const promote = (): Promise<void> => onChange({ operator: true });
    return (
      <Confirm title={t("title.makeOperator", { name: email })} action={t("do.makeOperator")} onConfirm={promote} onClose={onClose}>
        <p>{t("text.makeOperator")}</p>
      </Confirm>
    );
  }
  return (
    <Confirm title={t("title.deleteAccountAsked")} action={t("do.deleteAccount")} onConfirm={onRemove} onClose={onClose}>
      <p>{rich("text.deleteAccountAsked", { email })}</p>
    </Confirm>
  );
}

type RightsProps = { account: AccountFacts; onAsk(asked: Asked): void; onChange(body: object): void };

function Rights({ account, onAsk, onChange }: RightsProps) {
  return (
    <>
      {account.operator ? (
        <button type="button" class="button" onClick={() => onChange({ operator: false })}>
          {t("do.endOperator")}
        </button>
      ) : (
        <button type="button" class="button" onClick={() => onAsk("operator")}>
          {t("do.makeOperator")}
        </button>
      )}
      {account.disabledAt === null ? (
        <button type="button" class="button button-danger" onClick={() => onAsk("suspend")}>
          {t("do.suspend")}
        </button>
      ) : (
        <button type="button" class="button" onClick={() => onChange({ disabled: false })}>
          {t("do.resume")}
        </button>
      )}
      <button type="button" class="button button-danger" onClick={() => onAsk("delete")}>
        {t("do.deleteAccount")}
      </button>
    </>
  );
}
