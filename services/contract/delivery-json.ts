import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ResultDelivery_Failure as Failure, type ResultDelivery, ResultDelivery_State as State } from "#gen/filemill/job/v1/job_pb.ts";

/** Public names of the states of a delivery. */
export const resultDeliveryStates = { pending: State.PENDING, delivered: State.DELIVERED, failed: State.FAILED } as const;
export type ResultDeliveryState = keyof typeof resultDeliveryStates;

/** Why a result was not delivered: public codes and their messages. */
export const deliveryFailures = {
  NOTHING_TO_DELIVER: { failure: Failure.NOTHING_TO_DELIVER, message: "The job ended without a result." },
  RESULT_EXPIRED: { failure: Failure.RESULT_EXPIRED, message: "The result was removed before it was delivered." },
  ADDRESS_NOT_ALLOWED: { failure: Failure.ADDRESS_NOT_ALLOWED, message: "This server may not call that address." },
  DELIVERY_UNREACHABLE: {
    failure: Failure.DELIVERY_UNREACHABLE,
    message: "The address could not be reached, or its server closed the connection.",
  },
  DELIVERY_TIMEOUT: { failure: Failure.DELIVERY_TIMEOUT, message: "The server at the address did not answer in time." },
  DELIVERY_REFUSED: { failure: Failure.DELIVERY_REFUSED, message: "The server at the address refused the result." },
} as const;
export type DeliveryFailureCode = keyof typeof deliveryFailures;

/** The delivery of a result as the REST API shows it. */
export type DeliveryJson = {
  state: ResultDeliveryState;
  attempts: number;
  lastStatus: number | null;
  nextAttemptAt: string | null;
  error: { code: DeliveryFailureCode; message: string } | null;
};

export function deliveryJsonOf({ state, attempts, lastStatus, nextAttemptAt, failure }: ResultDelivery): DeliveryJson {
  return {
    state: keyOf(resultDeliveryStates, (value) => value === state) ?? "pending",
    attempts,
    lastStatus: lastStatus ?? null,
    nextAttemptAt: nextAttemptAt === undefined ? null : timestampDate(nextAttemptAt).toISOString(),
    error: errorOf(failure),
  };
}

function errorOf(failure: Failure): DeliveryJson["error"] {
  const code = keyOf(deliveryFailures, (row) => row.failure === failure);
  return code === undefined ? null : { code, message: deliveryFailures[code].message };
}

function keyOf<T extends object>(table: T, isMeant: (value: T[keyof T]) => boolean): keyof T | undefined {
  return (Object.keys(table) as (keyof T)[]).find((key) => isMeant(table[key]));
}
