import { findModule, findWebhook } from '../app/engine/find-component.js';
import type { App } from '../document/app.js';
import { EngineError } from '../errors/engine-error.js';
import { listSecretPaths } from '../parameters/check/secret-values.js';
import { moduleForm } from '../parameters/form/form.js';
import { MAX_FLOW_STEPS } from '../scenario/flow/compile-flow.js';
import { completeSettings } from '../scenario/state/scenario-settings.js';
import { didYouMean } from '../util/suggest.js';
import type { HookReport } from '../webhook/run-hook-request.js';
import type { Host } from './create-host.js';
import { attachHook, detachHook } from './hooks/attach-hook.js';
import type { Hook } from './hooks/hooks.js';
import { type HostApps, requireApp } from './hooks/require-app.js';
import type { FlowDefinition, StepDefinition } from './scenarios/flow-definition.js';
import type { ScenarioEntry } from './scenarios/scenario-file.js';
import { nextCronTime } from './schedule/cron.js';
import { assertCanAnswer, assertFits, type ScenarioPlan } from './store/scenario-plan.js';
import type { HostStore } from './store/tables.js';

/** What sets a host up. */
export interface SetUpOptions {
  readonly host: Host;
  readonly store: HostStore;
  readonly engines: HostApps;
  /** Names of the connections that an app may use. Default: names of connections are not checked. */
  readonly connectionNames?: ((app: string) => Promise<readonly string[]>) | undefined;
}

/** A scenario that is set up, with its address where it has one. */
export interface SetUpScenario {
  readonly name: string;
  readonly hook: Hook | undefined;
}

/**
 * Makes the hook and the scenario of an entry, or changes them to what it says now.
 * A hook that is new is attached at its service; the host has to be reached under its address by then.
 *
 * @throws EngineError (HOST_MISSING, HOST_REFUSED, USAGE), SpecError (SPEC_MISSING) for what the apps do not have;
 *   AppError where a service does not attach a hook
 */
export async function setUpScenario(options: SetUpOptions, entry: ScenarioEntry): Promise<SetUpScenario> {
  const { host, engines, store } = options;
  const plan = planOfEntry(entry, engines);
  // What cannot work is refused before anything is stored, and before any service is told of a hook.
  if (plan.cron !== undefined) await nextCronTime(plan.cron, 0);
  await assertConnections(options, entry);
  assertCanAnswer(entry.name, plan);
  assertFits(entry.name, plan);
  if (entry.webhook === undefined) {
    await host.scenarios.put({ name: entry.name, plan });
    return { name: entry.name, hook: undefined };
  }
  const { app, webhook, uid, connection, parameters } = entry.webhook;
  const { type } = findWebhook(requireApp(engines, app).app, webhook);
  const kind = type === 'web-shared' ? 'member' : 'dedicated';
  const hook = await host.putHook({ name: entry.name, app, webhook, kind, uid, connection, parameters });
  await attachHook({ host, store, engines }, hook);
  await host.scenarios.put({ name: entry.name, plan, hookId: hook.id });
  return { name: entry.name, hook };
}

/** A run that names a connection which does not exist would turn the scenario off. */
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
  // With the webhook in front of them.
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
  // Module 1 is the webhook then, so the modules behind it are counted from 2 where they have no ids of their own.
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
    // Kept as JSON, where what is undefined is absent.
    ...(cron && { cron: JSON.parse(JSON.stringify(cron)) }),
    ordered,
    answers: modules.some((step) => findModuleType(step) === 'responder'),
    // Kept as JSON, where what is undefined is absent.
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
 * Removes a scenario, and its hook after the service was told; what waits for them is discarded.
 *
 * @returns what detach came to, where it was run
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
 * What a host does with apps and no file: one scenario for each instant trigger, and for each webhook that none uses.
 * Whatever comes in is taken and put out.
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

/** @throws EngineError (HOST_MISSING) where an app has neither a file nor a webhook of its own to listen to */
export function assertAny(entries: readonly ScenarioEntry[]): void {
  if (entries.length > 0) return;
  throw new EngineError(
    'HOST_MISSING',
    'There is nothing to serve: no scenarios, and no webhook with an address of its own.',
  );
}
