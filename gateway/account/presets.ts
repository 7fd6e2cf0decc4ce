import { FilemillError } from "#contract/errors.ts";
import { callerOf, type Handlers, sendJson } from "#gateway/exchange/exchange.ts";
import { isPresetName, type Presets } from "#gateway/preset.ts";

type Shelf = { readonly presets: Presets; readonly defaults: Readonly<Record<string, string>> };

export const presetHandlers = {
  /** GET /web/v1/presets. */
  async getPresets({ deps }, request, reply) {
    const { shelf } = await deps.accounts.getPresets({ accountId: callerOf(request).account.id });
    const presets = Object.entries(shelf?.presets ?? {}).map(([name, { options }]) => [name, options]);
    return sendJson(reply, 200, { presets: Object.fromEntries(presets), defaults: shelf?.defaults ?? {} });
  },
  /** POST /web/v1/presets: replaces all presets. */
  async setPresets({ deps }, request, reply) {
    const { presets, defaults } = request.body as Shelf;
    if (!Object.keys(presets).every(isPresetName)) {
      throw new FilemillError("BAD_REQUEST", "A preset's name is one word of letters, digits, - and _.", { details: { field: "presets" } });
    }
    const kept = Object.fromEntries(Object.entries(presets).map(([name, options]) => [name, { options }]));
    await deps.accounts.setPresets({ accountId: callerOf(request).account.id, shelf: { presets: kept, defaults } });
    return reply.code(204).send();
  },
} satisfies Handlers;
