import type { HookReport } from '../../engine/webhook/run-hook-request.js';
import {
  ANY_OBJECT,
  ANY_VALUE,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
} from '../../shared/errors/check-options.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { deepMerge, isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import { isLongerThan } from '../../shared/value-length.js';
import { type Engines, type HostApps, type Receiver, requireApp } from '../ports.js';
import { copyStored, fromStored, isSameStored, toStored } from '../store/stored-value.js';
import type { HookRow, HostStore } from '../store/tables.js';
import { type Hook, MAX_HOOK_LENGTH, restoreHookParameters, storeHookData } from './hooks.js';

/** Options of `attachHook` and `detachHook`. */
export interface AttachOptions {
  readonly host: {
    readonly hookAt: (id: number) => Promise<Hook>;
    readonly removeHook: (id: number) => Promise<void>;
  };
  readonly store: HostStore;
  readonly engines: HostApps;
}

const SHAPES: OptionShapes<AttachOptions> = {
  host: objectWithFunctions(['hookAt', 'removeHook']),
  store: objectWithFunctions(['get', 'transaction']),
  engines: ANY_VALUE,
};

/**
 * Registers a hook at the remote API (attach) or sends changed parameters (update), if needed. Remote APIs may verify
 * the URL, so the host must be reachable.  Removes the hook if attach fails. Restores the previous parameters if
 * update fails.
 *
 * @throws AppError if the remote API rejects it; SpecError (SPEC_MISSING); EngineError (HOST_MISSING), or
 * (HOST_REFUSED)   if the data to store are too large
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks/dedicated/attached
 */
export async function attachHook(options: AttachOptions, { id }: Pick<Hook, 'id'>): Promise<void> {
  checkOptions(options, SHAPES, 'The options of attachHook', ['host', 'store', 'engines']);
  const { engines, store, host } = options;
  const row = await store.get('hooks', { id });
  if (row === undefined) return;
  const isNew = row.attachedWith === null;
  if (isSameStored(row.attachedWith, row.parameters)) return;
  try {
    const component = requireApp(engines, row.app).webhook(row.webhook);
    const input = await readInput(options, row);
    const { result } = await (isNew ? component.attach(input) : component.update(input)).orThrow();
    assertKeepable(result, row);
    const data = deepMerge(toObject(fromStored(row.data)), result);
    assertKeepable(data, row);
    await storeHookData(store, id, toStored(data), row.parameters);
  } catch (error) {
    if (isNew) await host.removeHook(id);
    else await restoreHookParameters(store, id, row.attachedWith);
    throw error;
  }
}

/**
 * Removes a hook and unregisters it at the remote API (detach). Removes it even if detach fails; see the report.
 *
 * @returns undefined if the hook was not attached
 * @throws SpecError (SPEC_MISSING), EngineError (HOST_MISSING) for an unknown app or webhook; the hook then stays
 */
export async function detachHook(options: AttachOptions, id: number): Promise<HookReport | undefined> {
  checkOptions(options, SHAPES, 'The options of detachHook', ['host', 'store', 'engines']);
  const { engines, store, host } = options;
  const row = await store.get('hooks', { id });
  const report =
    row === undefined || row.attachedWith === null
      ? undefined
      : await requireApp(engines, row.app)
          .webhook(row.webhook)
          .detach(await readInput(options, row));
  await host.removeHook(id);
  return report;
}

function assertKeepable(data: unknown, { name }: HookRow): void {
  if (!isLongerThan(data, MAX_HOOK_LENGTH)) return;
  throw new EngineError(
    'HOST_REFUSED',
    `The hook "${name}" cannot store more than ${MAX_HOOK_LENGTH} characters of the response of its API. Store less in \`response.data\`.`,
  );
}

async function readInput(
  { host }: AttachOptions,
  row: HookRow,
): Promise<{ parameters: PlainObject; connection: string | undefined; webhook: PlainObject }> {
  const { url } = await host.hookAt(row.id);
  return {
    parameters: toObject(copyStored(row.parameters)),
    connection: row.connection ?? undefined,
    webhook: { ...toObject(fromStored(row.data)), id: row.id, url },
  };
}

function toObject(value: unknown): PlainObject {
  return isPlainObject(value) ? value : {};
}

/** Creates a receiver for the webhooks of the apps of some engines. */
export function createEngineReceiver(options: { readonly engines: Engines }): Receiver {
  checkOptions(options, { engines: ANY_OBJECT }, 'The options of createEngineReceiver', ['engines']);
  const { engines } = options;
  return async ({ app, webhook, call, parameters, stored, findRecipients, signal }) =>
    requireApp(engines, app)
      .webhook(webhook)
      .handle(call, { parameters, webhook: stored, connections: findRecipients, signal });
}
