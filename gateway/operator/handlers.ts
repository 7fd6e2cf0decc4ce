import type { Handler, RestContext } from "#gateway/exchange/exchange.ts";
import { changeAccountHandler, createAccountHandler, deleteAccountHandler, linkAccountHandler, listAccountsHandler } from "./accounts.ts";
import type { OperatorEndpointId } from "./endpoints.ts";
import { enginesHandler, houseHandler } from "./house.ts";
import { cancelJobHandler, listAllJobsHandler } from "./jobs.ts";

export function operatorHandlersOf(context: RestContext): Readonly<Record<OperatorEndpointId, Handler>> {
  return {
    operatorHouse: houseHandler(context),
    operatorEngines: enginesHandler(context),
    operatorAccounts: listAccountsHandler(context),
    operatorCreateAccount: createAccountHandler(context),
    operatorChangeAccount: changeAccountHandler(context),
    operatorDeleteAccount: deleteAccountHandler(context),
    operatorLinkAccount: linkAccountHandler(context),
    operatorJobs: listAllJobsHandler(context),
    operatorCancelJob: cancelJobHandler(context),
  };
}
