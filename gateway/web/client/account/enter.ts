import { t } from "#client/parts/language.tsx";
import { ApiError, call } from "#client/server/api.ts";
import { renewMe } from "#client/server/session.ts";

/**
 * Signs in with the one-time link in the URL, if there is one. First removes the fragment from the URL and the history, because it is
 * secret.
 */
export async function enter(): Promise<void> {
  const said = new URLSearchParams(location.hash.slice(1));
  const token = said.get("link");
  const refusal = said.get("error");
  if (token !== null || refusal !== null) history.replaceState(null, "", location.pathname);
  if (refusal !== null) {
    await renewMe();
    throw new ApiError(0, { error: { code: refusal, message: refusalText(refusal) } }, null);
  }
  if (token !== null) {
    try {
      await call("/sign-in/link", { method: "POST", body: { token } });
    } catch (error) {
      await renewMe();
      throw error;
    }
  }
  await renewMe();
}

/** The error of a failed sign-in with the identity provider. */
function refusalText(code: string): string {
  return code === "SIGN_UP_CLOSED" ? t("text.teamClosed") : t("text.teamFailed", { code: code.slice(0, 40) });
}
