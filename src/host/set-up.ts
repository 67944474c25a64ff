import type { App } from '../engine/document/app.js';
import { findModule, findWebhook } from '../engine/find-component.js';
import { moduleForm } from '../engine/parameters/form.js';
import { listSecretPaths } from '../engine/parameters/secret-values.js';
import type { HookReport } from '../engine/webhook/run-hook-request.js';
import { MAX_FLOW_STEPS } from '../scenario/compile-flow.js';
import { completeSettings } from '../scenario/scenario-state.js';
import { EngineError } from '../shared/errors/engine-error.js';
import { didYouMean } from '../shared/suggest.js';
import type { Host } from './create-host.js';
import { attachHook, detachHook } from './hooks/engine-hooks.js';
import type { Hook } from './hooks/hooks.js';
import { type HostApps, requireApp } from './ports.js';
import type { ScenarioEntry } from './scenarios/scenario-file.js';
import type { FlowDefinition, StepDefinition } from './scenarios/scenario-flows.js';
import { assertCanAnswer, assertFits, type ScenarioPlan } from './store/scenario-plan.js';
import type { HostStore } from './store/tables.js';
import { nextCronTime } from './work/schedule.js';

/** Options of `setUpScenario` and `removeScenario`. */
export interface SetUpOptions {
  readonly host: Host;
  readonly store: HostStore;
  readonly engines: HostApps;
  /** Names of the connections of an app. Default: connection names are not checked. */
  readonly connectionNames?: ((app: string) => Promise<readonly string[]>) | undefined;
}

/** A scenario that was set up, and its webhook URL if any. */
export interface SetUpScenario {
  readonly name: string;
  readonly hook: Hook | undefined;
}

/**
 * Creates or updates the hook and scenario of an entry. Attaches a new hook, so the host must already be reachable at
 * its public URL.
 *
 * @throws EngineError (HOST_MISSING, HOST_REFUSED, USAGE); SpecError (SPEC_MISSING) if an app lacks a component;
 * AppError if a remote API rejects attach
 */
export async function setUpScenario(options: SetUpOptions, entry: ScenarioEntry): Promise<SetUpScenario> {
  const { host, engines, store } = options;
  const plan = planOfEntry(entry, engines);
  // Validate before anything is stored or sent.
  if (plan.cron !== undefined) await nextCronTime(plan.cron, 0);
  await assertConnections(options, entry);
  assertCanAnswer(entry.name, plan);
  assertFits(entry.name, plan);
  if (entry.webhook === undefined) {
    await host.scenarios.put({ name: entry.name, plan, tenant: tenantOf(entry) });
    return { name: entry.name, hook: undefined };
  }
  const { app, webhook, uid, connection, parameters } = entry.webhook;
  const { type } = findWebhook(requireApp(engines, app).app, webhook);
  const kind = type === 'web-shared' ? 'member' : 'dedicated';
  const hook = await host.putHook({ name: entry.name, app, webhook, kind, uid, connection, parameters });
  await attachHook({ host, store, engines }, hook);
  await host.scenarios.put({ name: entry.name, plan, hookId: hook.id, tenant: tenantOf(entry) });
  return { name: entry.name, hook };
}

/** Whom the slots of a scenario count for: its owner, or the app of its trigger. */
function tenantOf({ name, owner, webhook, modules }: ScenarioEntry): string {
  return owner ?? webhook?.app ?? modules[0]?.app ?? name;
}

/** A run with an unknown connection would deactivate the scenario. */
async function assertConnections(
  { connectionNames }: SetUpOptions,
  { name, webhook, modules }: ScenarioEntry,
): Promise<void> {
  if (connectionNames === undefined) return;
  for (const { app, connection } of [...(webhook === undefined ? [] : [webhook]), ...modules]) {
    if (typeof connection !== 'string') continue;
    const names = await connectionNames(app);
    if (names.includes(connection)) continue;
    const hint = didYouMean(connection, names) || ` "iml connect" creates it.`;
    throw new EngineError(
      'HOST_MISSING',
      `The app "${app}" has no connection "${connection}", which the scenario "${name}" uses.${hint}`,
    );
  }
}

function planOfEntry(entry: ScenarioEntry, engines: HostApps): ScenarioPlan {
  const { everyMinutes, cron, ordered, modules, webhook } = entry;
  // The webhook counts as a step.
  if (modules.length >= MAX_FLOW_STEPS) {
    const message = `The scenario "${entry.name}" has ${modules.length} modules: it may have ${MAX_FLOW_STEPS - 1}.`;
    throw new EngineError('HOST_REFUSED', message);
  }
  const hiding = modules.map(
    (step): StepDefinition => ({ ...step, hiddenParameters: listHiddenParameters(step, engines) }),
  );
  const findModuleType = ({ app, module }: ScenarioEntry['modules'][number]): string =>
    findModule(requireApp(engines, app).app, module).type;
  const [first] = modules;
  const startsWithWebhook =
    webhook !== undefined && (first === undefined || findModuleType(first) !== 'instant_trigger');
  // The webhook is module 1, so modules without ids are numbered from 2.
  const shift = startsWithWebhook && modules.some(({ id }) => id === 1) ? 1 : 0;
  const flow: FlowDefinition = {
    startsWithWebhook,
    steps: hiding.map((step) => ({ ...step, id: step.id + shift })),
  };
  return {
    settings: completeSettings({
      ...entry.settings,
      scheduling: everyMinutes === undefined && cron === undefined ? 'instant' : 'timed',
    }),
    everyMs: everyMinutes === undefined ? undefined : Math.max(1, Math.round(everyMinutes * 60_000)),
    // JSON omits undefined members.
    ...(cron && { cron: JSON.parse(JSON.stringify(cron)) }),
    ordered,
    answers: modules.some((step) => findModuleType(step) === 'responder'),
    // JSON omits undefined members.
    flow: JSON.parse(JSON.stringify(flow)),
  };
}

/** @throws EngineError (HOST_MISSING), SpecError (SPEC_MISSING) */
function listHiddenParameters(
  { app, module, parameters = {} }: StepDefinition,
  engines: HostApps,
): readonly string[] {
  const { elements } = moduleForm(findModule(requireApp(engines, app).app, module));
  return listSecretPaths(elements, parameters);
}

/**
 * Detaches the hook, removes it and its scenario, and discards waiting work.
 *
 * @returns the report of detach, if it ran
 * @throws EngineError (HOST_MISSING), SpecError (SPEC_MISSING)
 */
export async function removeScenario(options: SetUpOptions, name: string): Promise<HookReport | undefined> {
  const { host, store, engines } = options;
  const { hookId } = await host.scenarios.get(name);
  const report = hookId === null ? undefined : await detachHook({ host, store, engines }, hookId);
  await host.scenarios.remove(name);
  return report;
}

/**
 * Default scenarios of an app without a scenario file: one per instant trigger, and one per webhook without a
 * trigger. They output all incoming bundles.
 */
export function defaultEntries(app: App): readonly ScenarioEntry[] {
  const triggers = [...app.modules.values()].filter(
    ({ type, webhook }) => type === 'instant_trigger' && webhook,
  );
  const used = new Set(triggers.map(({ webhook }) => webhook));
  const entry = (name: string, webhook: string, module: string | undefined): ScenarioEntry => ({
    name: `${app.name}/${name}`,
    webhook: { app: app.name, webhook, connection: undefined, uid: undefined, parameters: {} },
    everyMinutes: undefined,
    ordered: false,
    settings: {},
    modules: module === undefined ? [] : [{ id: 1, app: app.name, module }],
  });
  const own = [...app.webhooks.values()].filter(({ type }) => type === 'web');
  const dedicated = new Set(own.map(({ name }) => name));
  return [
    ...triggers.flatMap(({ name, webhook }) =>
      webhook && dedicated.has(webhook) ? [entry(name, webhook, name)] : [],
    ),
    ...own.filter(({ name }) => !used.has(name)).map(({ name }) => entry(name, name, undefined)),
  ];
}

/** @throws EngineError (HOST_MISSING) if there is no scenario file and the app has no dedicated webhook */
export function assertAny(entries: readonly ScenarioEntry[]): void {
  if (entries.length > 0) return;
  throw new EngineError(
    'HOST_MISSING',
    'Nothing to serve: found no scenario and no dedicated webhook. Use --scenarios.',
  );
}
