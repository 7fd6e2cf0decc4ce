import type { Handler } from "#gateway/exchange/exchange.ts";
import { operatorAccountHandlers } from "./accounts.ts";
import type { OperatorEndpointId } from "./endpoints.ts";
import { houseHandlers } from "./house.ts";
import { operatorJobHandlers } from "./jobs.ts";

export const operatorHandlers: Readonly<Record<OperatorEndpointId, Handler>> = {
  ...houseHandlers,
  ...operatorAccountHandlers,
  ...operatorJobHandlers,
};
