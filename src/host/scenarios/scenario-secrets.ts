import { collectNamedSecrets, collectSecrets } from '../../redaction/collect-secrets.js';
import { MAX_KNOWN_SECRETS } from '../../redaction/secret-matcher.js';
import { isPlainObject, ownMember } from '../../util/plain-object.js';
import { collectHookSecrets } from '../hooks/hook-secrets.js';
import type { HookRow } from '../store/tables.js';

/** A connection as hooks and steps name it. */
export interface NamedConnection {
  readonly app: string;
  /** The name it is kept under. */
  readonly connection: string;
}

/** Finds the values of a connection that must not be shown; none where there is no such connection. */
export type FindConnectionSecrets = (named: NamedConnection) => Promise<readonly string[]>;

/** Values that are gathered: some of them may be too short or too long to be looked for. [choice] */
const MAX_FOUND = 2 * MAX_KNOWN_SECRETS;

/** Whose secrets they are. */
export interface SecretOwners {
  readonly hooks: readonly HookRow[];
  /** What the flows of scenarios are made of: see `ScenarioPlan.flow`. */
  readonly flows: readonly unknown[];
  readonly findConnectionSecrets: FindConnectionSecrets;
}

/**
 * What neither an error nor a bundle of scenarios may show when people look at it: what their hooks hold, the connections of
 * these and of all their steps, and the passwords that are written into steps, as any of them may have quoted what another was given.
 * Where they are far more than can be known, the first of them.
 *
 * @throws ImlError (IML_LIMIT) for more than can be known
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

/** What is written into fields of type password of a step, and under names that say secret. */
function listPasswords(step: unknown): readonly string[] {
  if (!isPlainObject(step)) return [];
  const { parameters, hiddenParameters } = step;
  const pointers: readonly unknown[] = Array.isArray(hiddenParameters) ? hiddenParameters : [];
  const hidden = pointers.map((pointer) => memberAt(parameters, String(pointer)));
  return [...collectSecrets(...hidden), ...collectNamedSecrets(parameters)];
}

/** The member a JSON pointer leads to. */
function memberAt(value: unknown, pointer: string): unknown {
  let member = value;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    member = typeof member === 'object' && member !== null ? ownMember(member, name) : undefined;
  }
  return member;
}

/** Flows that are not ours may be anything. */
function listSteps(flow: unknown): readonly unknown[] {
  const steps = isPlainObject(flow) ? flow['steps'] : undefined;
  return Array.isArray(steps) ? steps : [];
}

function isNamed(owner: unknown): owner is NamedConnection {
  if (!isPlainObject(owner)) return false;
  return typeof owner['app'] === 'string' && typeof owner['connection'] === 'string';
}
