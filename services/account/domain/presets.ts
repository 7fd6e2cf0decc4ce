import { toBinary } from "@bufbuild/protobuf";
import { FilemillError } from "#contract/errors.ts";
import { type PresetShelf, PresetShelfSchema } from "#gen/filemill/account/v1/account_pb.ts";
import type { AccountTables } from "./directory.ts";

const maxBytes = 65_536;

/** Replaces all presets of the account. Rejects with BAD_REQUEST. */
export async function setPresets({ presets }: Pick<AccountTables, "presets">, accountId: string, shelf: PresetShelf): Promise<void> {
  if (toBinary(PresetShelfSchema, shelf).length > maxBytes) {
    throw new FilemillError("BAD_REQUEST", "There are too many presets; remove some.", { details: { field: "presets" } });
  }
  if (await presets.create(accountId, shelf)) return;
  await presets.change(accountId, () => shelf);
}
