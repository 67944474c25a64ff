import {
  ANY_VALUE,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
} from '../../errors/check-options.js';
import { EngineError } from '../../errors/engine-error.js';
import { deepMerge, isPlainObject, type PlainObject } from '../../util/plain-object.js';
import type { HookReport } from '../../webhook/run-hook-request.js';
import { copyKept, isLongerThan, isSameKept, keepValue, readKept } from '../store/kept-value.js';
import type { HookRow, HostStore } from '../store/tables.js';
import { type Hook, keepHookData, keepHookParameters, MAX_HOOK_LENGTH } from './hooks.js';
import { type HostApps, requireApp } from './require-app.js';

/** What tells services of hooks. */
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
 * Tells the service of a hook what it does not know yet: that the hook is there (attach), or that its parameters have
 * changed (update). The host has to be reached under its address by then, as services verify it.
 *
 * A hook whose attach fails is removed; one whose update fails stays with the parameters it had.
 *
 * @throws AppError where the service refuses; SpecError (SPEC_MISSING), EngineError (HOST_MISSING), (HOST_REFUSED) where more is to be
 *   kept than a hook may keep
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks/dedicated/attached
 */
export async function attachHook(options: AttachOptions, { id }: Pick<Hook, 'id'>): Promise<void> {
  checkOptions(options, SHAPES, 'The options of attachHook', ['host', 'store', 'engines']);
  const { engines, store, host } = options;
  const row = await store.get('hooks', { id });
  if (row === undefined) return;
  const isNew = row.attachedWith === null;
  if (isSameKept(row.attachedWith, row.parameters)) return;
  try {
    const component = requireApp(engines, row.app).webhook(row.webhook);
    const input = await readInput(options, row);
    const { result } = await (isNew ? component.attach(input) : component.update(input)).orThrow();
    assertKeepable(result, row);
    const kept = deepMerge(toObject(readKept(row.data)), result);
    assertKeepable(kept, row);
    await keepHookData(store, id, keepValue(kept), row.parameters);
  } catch (error) {
    if (isNew) await host.removeHook(id);
    else await keepHookParameters(store, id, row.attachedWith);
    throw error;
  }
}

/**
 * Removes a hook: its service is told (detach), and the hook goes whether that succeeds or not; the report says.
 *
 * @returns undefined where the service did not know of the hook
 * @throws SpecError (SPEC_MISSING), EngineError (HOST_MISSING) for a hook of an app or webhook that is not there; the hook
 *   stays then
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
    `The hook "${name}" cannot keep more than ${MAX_HOOK_LENGTH} characters of what its service answered: take less into \`response.data\`.`,
  );
}

async function readInput(
  { host }: AttachOptions,
  row: HookRow,
): Promise<{ parameters: PlainObject; connection: string | undefined; webhook: PlainObject }> {
  const { url } = await host.hookAt(row.id);
  return {
    parameters: toObject(copyKept(row.parameters)),
    connection: row.connection ?? undefined,
    webhook: { ...toObject(readKept(row.data)), id: row.id, url },
  };
}

function toObject(value: unknown): PlainObject {
  return isPlainObject(value) ? value : {};
}
