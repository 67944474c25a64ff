import { WebhookError } from '../errors/webhook-error.js';
import { deepMerge } from '../util/deep-merge.js';
import type { PlainObject } from '../util/plain-object.js';
import type { Webhook } from './create-webhook.js';
import { type HookRecord, type HookStatus, type HookStore, webhookNames } from './hook-store.js';
import type { HookInput, HookReport } from './run-hook-request.js';

/** What the life of hooks needs. */
export interface HookLife {
  /** The webhook of an app that a hook is of. @throws SpecError (SPEC_MISSING) */
  readonly webhook: (name: string) => Webhook;
  readonly store: HookStore;
}

/** What a new hook is made of. */
export type NewHook = Pick<HookRecord, 'id' | 'webhook' | 'url'> &
  Partial<Pick<HookRecord, 'parameters' | 'connection'>>;

/** What a step of a hook's life came to. */
export interface HookChange {
  /** The hook as it is kept now; undefined where there is none any more. */
  readonly hook: HookRecord | undefined;
  /** What was run for it. Its `error` says why a step failed. */
  readonly report: HookReport;
}

/**
 * Creates a hook: attach runs, and what it keeps is stored. Where attach fails there is no hook.
 * The record exists while attach runs, as a service may verify the address before it answers.
 *
 * @throws WebhookError (WEBHOOK_REFUSED) where the id is taken
 * @see reference/webhooks.md (Life cycle)
 */
export async function createHook(made: NewHook, { webhook, store }: HookLife): Promise<HookChange> {
  const { id, url, parameters = {}, connection } = made;
  const { attach } = webhook(made.webhook);
  if ((await store.get(id)) !== undefined) {
    throw new WebhookError('WEBHOOK_REFUSED', `There is a hook "${id}" already.`);
  }
  const hook: HookRecord = {
    ...{ id, webhook: made.webhook, url, parameters, connection },
    status: 'attaching',
    data: {},
  };
  await store.save(hook);
  try {
    const report = await attach(inputOf(hook));
    const created =
      report.error === undefined
        ? ({ ...hook, status: 'created', data: report.result ?? {} } as const)
        : undefined;
    if (created === undefined) await store.remove(id);
    else await store.save(created);
    return { hook: created, report };
  } catch (error) {
    await store.remove(id);
    throw error;
  }
}

/** Lets a scenario take the hook's events. @throws WebhookError (WEBHOOK_REFUSED) unless it is created */
export function enableHook(id: string, life: HookLife): Promise<HookRecord> {
  return setStatus(id, 'enabled', life);
}

/** Takes the hook from its scenario; the service goes on sending. @throws WebhookError (WEBHOOK_REFUSED) */
export function disableHook(id: string, life: HookLife): Promise<HookRecord> {
  return setStatus(id, 'created', life);
}

/**
 * Gives a hook other parameters: update runs, and what it keeps is merged into the stored data.
 * Where update fails the hook stays as it was.
 *
 * @throws WebhookError (WEBHOOK_REFUSED) for a hook that is not there, or is still being attached
 */
export async function updateHook(id: string, parameters: PlainObject, life: HookLife): Promise<HookChange> {
  const hook = await readyHook(id, life);
  const changed = { ...hook, parameters };
  const report = await life.webhook(hook.webhook).update(inputOf(changed));
  if (report.error !== undefined) return { hook, report };
  const updated = { ...changed, data: deepMerge(hook.data, report.result ?? {}) };
  await life.store.save(updated);
  return { hook: updated, report };
}

/**
 * Deletes a hook: detach runs, and the hook goes whether that succeeds or not; the report says.
 *
 * @throws WebhookError (WEBHOOK_REFUSED) for a hook that is not there
 */
export async function deleteHook(id: string, { webhook, store }: HookLife): Promise<HookChange> {
  const hook = await findHook(id, store);
  const report = await webhook(hook.webhook).detach(inputOf(hook));
  await store.remove(id);
  return { hook: undefined, report };
}

function inputOf(hook: HookRecord): HookInput {
  const { parameters, connection } = hook;
  return { parameters, connection, webhook: webhookNames(hook) };
}

async function setStatus(id: string, status: HookStatus, life: HookLife): Promise<HookRecord> {
  const hook = { ...(await readyHook(id, life)), status };
  await life.store.save(hook);
  return hook;
}

async function readyHook(id: string, { store }: HookLife): Promise<HookRecord> {
  const hook = await findHook(id, store);
  if (hook.status !== 'attaching') return hook;
  throw new WebhookError('WEBHOOK_REFUSED', `The hook "${id}" is still being attached.`);
}

async function findHook(id: string, store: HookStore): Promise<HookRecord> {
  const hook = await store.get(id);
  if (hook !== undefined) return hook;
  throw new WebhookError('WEBHOOK_REFUSED', `There is no hook "${id}".`);
}
