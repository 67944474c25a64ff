import { collectGiven } from '../../redaction/collect-secrets.js';
import { createRedactor, type Redactor } from '../../redaction/redact.js';
import { copyKept, readKept } from '../store/kept-value.js';
import type { HookRow } from '../store/tables.js';

/** What of a hook nobody is to see again who looks at its calls. */
export type HookSecrets = Pick<HookRow, 'id' | 'token' | 'parameters' | 'data'>;

/** What is made ready to look for the secrets of a hook. */
export interface HookKnowledge {
  /** Knows them; is to learn nothing of a call. */
  readonly redactor: Redactor;
  /** Whether a text of a call holds one of them: asked for every call. */
  readonly isIn: (text: string) => boolean;
}

/**
 * All texts of a hook that no name shows to be open: its address, its parameters, and what attach and update have stored. Its
 * connection is not among them: a host has its name, its data have the engines alone.
 *
 * @throws ImlError (IML_LIMIT) for more than can be known
 */
export async function collectHookSecrets({
  token,
  parameters,
  data,
}: HookSecrets): Promise<readonly string[]> {
  return collectGiven(token ?? undefined, copyKept(parameters), readKept(data));
}

/** Creates the redactor of a hook. @throws as `collectHookSecrets` */
export async function learnHook(hook: HookSecrets): Promise<HookKnowledge> {
  const secrets = await collectHookSecrets(hook);
  const redactor = createRedactor({ secrets });
  return { redactor, isIn: chooseSearch(hook, secrets, redactor) };
}

/** Most hooks have nothing but their address, which proxies send on as it is. */
function chooseSearch(
  { token }: HookSecrets,
  secrets: readonly string[],
  redactor: Redactor,
): HookKnowledge['isIn'] {
  const hasMore = secrets.some((secret) => secret !== token);
  if (hasMore) return redactor.holdsSecret;
  return token === null ? () => false : (text) => text.includes(token);
}
