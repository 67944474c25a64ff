import { collectNamedSecrets, collectSecrets, MAX_KNOWN_SECRETS } from '../../engine/redaction/secrets.js';
import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import { collectHookSecrets } from '../hooks/hook-secrets.js';
import type { HookRow } from '../store/tables.js';

/** A connection of a hook or step. */
export interface NamedConnection {
  readonly app: string;
  /** Name of the connection. */
  readonly connection: string;
}

/** Finds the secret values of a connection. Empty if it does not exist. */
export type FindConnectionSecrets = (named: NamedConnection) => Promise<readonly string[]>;

/** Maximum collected values. Some may be too short or too long to search for. [choice] */
const MAX_FOUND = 2 * MAX_KNOWN_SECRETS;

/** Hooks and flows whose secrets are collected. */
export interface SecretOwners {
  readonly hooks: readonly HookRow[];
  /** See `ScenarioPlan.flow`. */
  readonly flows: readonly unknown[];
  readonly findConnectionSecrets: FindConnectionSecrets;
}

/**
 * Collects the secrets to redact from errors and bundles of scenarios: those of their hooks, of the connections of
 * hooks and steps, and passwords in steps. Any of them may appear in data of another. If there are too many, the
 * first ones.
 *
 * @throws ImlError (IML_LIMIT) if there are too many
 */
export async function collectScenarioSecrets({
  hooks,
  flows,
  findConnectionSecrets,
}: SecretOwners): Promise<readonly string[]> {
  const steps = flows.flatMap(listSteps);
  const named = [...hooks, ...steps].filter(isNamed);
  const distinct = new Map(
    named.map(({ app, connection }) => [`${app}\n${connection}`, { app, connection }]),
  );
  const found = new Set<string>();
  const add = (secrets: readonly string[]): void => {
    for (const secret of secrets) if (found.size <= MAX_FOUND) found.add(secret);
  };
  for (const hook of hooks) add(await collectHookSecrets(hook));
  for (const connection of distinct.values()) add(await findConnectionSecrets(connection));
  for (const step of steps) add(listPasswords(step));
  return [...found];
}

/** Values of password fields and of members with secret names in a step. */
function listPasswords(step: unknown): readonly string[] {
  if (!isPlainObject(step)) return [];
  const { parameters, hiddenParameters } = step;
  const pointers: readonly unknown[] = Array.isArray(hiddenParameters) ? hiddenParameters : [];
  const hidden = pointers.map((pointer) => memberAt(parameters, String(pointer)));
  return [...collectSecrets(...hidden), ...collectNamedSecrets(parameters)];
}

/** The value at a JSON pointer. */
function memberAt(value: unknown, pointer: string): unknown {
  let member = value;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    member = typeof member === 'object' && member !== null ? ownMember(member, name) : undefined;
  }
  return member;
}

/** Flows of custom `Flows` may have any shape. */
function listSteps(flow: unknown): readonly unknown[] {
  const steps = isPlainObject(flow) ? flow['steps'] : undefined;
  return Array.isArray(steps) ? steps : [];
}

function isNamed(owner: unknown): owner is NamedConnection {
  if (!isPlainObject(owner)) return false;
  return typeof owner['app'] === 'string' && typeof owner['connection'] === 'string';
}
