import { createRedactor } from '../../../engine/redaction/redact.js';
import { collectGiven } from '../../../engine/redaction/secrets.js';
import { findHookRows } from '../../../host/hooks/hooks.js';
import {
  collectScenarioSecrets,
  type FindConnectionSecrets,
} from '../../../host/scenarios/scenario-secrets.js';
import { readPlan } from '../../../host/store/scenario-plan.js';
import type { EventRow, HostStore, ScenarioRow } from '../../../host/store/tables.js';
import { StoreError } from '../../../shared/errors/engine-error.js';
import type { ConnectionFiles } from './connection-store.js';

/** Reads the data of a stored connection by name; an empty list for an unknown name. */
export type ReadConnectionData = (name: string) => Promise<readonly unknown[]>;

/** @returns a function that rejects with StoreError (STORE_FAILED) for a connection that cannot be opened */
export function createConnectionReader(files: ConnectionFiles): ReadConnectionData {
  return async (name) => {
    const entry = await files.read(name);
    if (entry === undefined) return [];
    const { connection, parameters, common } = entry.stored;
    return [connection, parameters, common];
  };
}

/** Collects the secrets of stored connections. Skips those that cannot be opened. */
export function createConnectionSecrets(files: ConnectionFiles): FindConnectionSecrets {
  const read = createConnectionReader(files);
  return async ({ connection }) => collectGiven(...(await read(connection).catch(ignoreUnreadable)));
}

function ignoreUnreadable(error: unknown): readonly unknown[] {
  if (error instanceof StoreError) return [];
  throw error;
}

/** Secrets to redact in stored host data. Undefined if they are unknown because the hook was removed, or too many. */
export type HostSecrets = readonly string[] | undefined;

/** Finds the secrets of stored host data: those of the hook, and those of connections that this user has. */
export interface HostSecretFinder {
  readonly forEvent: (event: Pick<EventRow, 'hookId' | 'scenarioId'>) => Promise<HostSecrets>;
  readonly forScenario: (scenario: ScenarioRow) => Promise<HostSecrets>;
}

/** Results are cached per hook. */
export function createHostSecretFinder(store: HostStore, files: ConnectionFiles): HostSecretFinder {
  const findConnectionSecrets = createConnectionSecrets(files);
  const found = new Map<string, Promise<HostSecrets>>();
  const find = async (hookId: number, scenarios: readonly ScenarioRow[]): Promise<HostSecrets> => {
    const hooks = await findHookRows(store, hookId);
    if (hooks.length === 0) return undefined;
    return ifAllFound(
      await collectScenarioSecrets({ hooks, flows: readFlows(scenarios), findConnectionSecrets }),
    );
  };
  return {
    forEvent: ({ hookId, scenarioId }) => {
      const key = `${hookId} ${scenarioId}`;
      const where = scenarioId === null ? { hookId } : { id: scenarioId };
      const secrets = found.get(key) ?? store.find('scenarios', { where }).then((rows) => find(hookId, rows));
      found.set(key, secrets);
      return secrets;
    },
    forScenario: async (scenario) => {
      const hookId = scenario.hookId ?? (await store.get('hooks', { name: scenario.name }))?.id;
      if (hookId !== undefined) return find(hookId, [scenario]);
      if (readPlan(scenario).hasHadHook) return undefined;
      const flows = readFlows([scenario]);
      return ifAllFound(await collectScenarioSecrets({ hooks: [], flows, findConnectionSecrets }));
    },
  };
}

function ifAllFound(secrets: readonly string[]): HostSecrets {
  return createRedactor({ secrets }).isComplete() ? secrets : undefined;
}

function readFlows(scenarios: readonly ScenarioRow[]): readonly unknown[] {
  return scenarios.map((scenario) => readPlan(scenario).flow);
}
