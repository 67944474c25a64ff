import type { AppError } from '../../errors/app-error.js';
import { collectNamedInParts } from '../../redaction/collect-secrets.js';
import { createRedactor, type Redactor } from '../../redaction/redact.js';
import { redactAppErrorInParts } from '../../redaction/redact-app-error.js';
import { Turns } from '../../util/turns.js';

/** Takes out of a failure what must not be shown; `data` is what its step was given, the oldest first. */
export type RedactFailure = (error: AppError, data: readonly unknown[]) => Promise<AppError>;

/**
 * Makes ready what takes out of the failures of a run what stands in the data of their steps under a name that says secret, and
 * what `findSecrets` tells. A service may quote what it was sent, and to the module a mapped password was a text like others.
 *
 * @throws what `findSecrets` rejects with: a failure that cannot be cleaned is not told
 */
export async function createFailureRedactor(
  findSecrets: (() => Promise<readonly string[]>) | undefined,
): Promise<RedactFailure> {
  const known = createRedactor({ secrets: [] });
  if (findSecrets !== undefined) await known.learnInTurns(await findSecrets(), new Turns());
  const findNamed = createNamedFinder();
  const learn = async (base: Redactor, data: readonly unknown[], turns: Turns): Promise<Redactor> => {
    const redactor = base.apart();
    for (const value of data) await redactor.learnInTurns(await findNamed(value, turns), turns);
    return redactor;
  };
  /** Bundles that fail one after the other have what the flow began with in common, which may be large. */
  let last: { readonly first: unknown; readonly redactor: Redactor } = { first: undefined, redactor: known };
  return async (error, [first, ...rest]) => {
    const turns = new Turns();
    const ofFirst = last.first === first ? last : { first, redactor: await learn(known, [first], turns) };
    last = ofFirst;
    const { text } = await learn(ofFirst.redactor, rest, turns);
    return turns.finish(redactAppErrorInParts(error, text));
  };
}

/** Finds what names say is secret in a value, once for each that may be large. */
function createNamedFinder(): (value: unknown, turns: Turns) => Promise<readonly string[]> {
  const found = new WeakMap<object, readonly string[]>();
  return async (value, turns) => {
    if (typeof value !== 'object' || value === null) return [];
    const secrets = found.get(value) ?? (await turns.finish(collectNamedInParts(value)));
    found.set(value, secrets);
    return secrets;
  };
}
