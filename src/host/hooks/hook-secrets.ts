import { createRedactor, type Redactor } from '../../engine/redaction/redact.js';
import { collectGiven } from '../../engine/redaction/secrets.js';
import { copyStored, fromStored } from '../store/stored-value.js';
import type { HookRow } from '../store/tables.js';

/** Fields of a hook that contain secrets. */
export type HookSecrets = Pick<HookRow, 'id' | 'token' | 'parameters' | 'data'>;

/** Redactor and search for the secrets of a hook. */
export interface HookKnowledge {
  /** Shared by all calls. Must not collect secrets of a call. */
  readonly redactor: Redactor;
  /** Whether a text contains a secret. Called for every call. */
  readonly isIn: (text: string) => boolean;
}

/**
 * Collects the secrets of a hook: its token, its parameters and the data of attach and update, except values with
 * names that are known to be public. The data of its connection are known to the engines only.
 *
 * @throws ImlError (IML_LIMIT) if there are too many
 */
export async function collectHookSecrets({
  token,
  parameters,
  data,
}: HookSecrets): Promise<readonly string[]> {
  return collectGiven(token ?? undefined, copyStored(parameters), fromStored(data));
}

/** Creates the redactor of a hook. @throws as `collectHookSecrets` */
export async function loadHookKnowledge(hook: HookSecrets): Promise<HookKnowledge> {
  const secrets = await collectHookSecrets(hook);
  const redactor = createRedactor({ secrets });
  return { redactor, isIn: chooseSearch(hook, secrets, redactor) };
}

/** Most hooks have no secret but their token, which proxies never escape. */
function chooseSearch(
  { token }: HookSecrets,
  secrets: readonly string[],
  redactor: Redactor,
): HookKnowledge['isIn'] {
  const hasMore = secrets.some((secret) => secret !== token);
  if (hasMore) return redactor.holdsSecret;
  return token === null ? () => false : (text) => text.includes(token);
}
