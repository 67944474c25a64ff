import { EngineError } from './engine-error.js';

type Loaders = Readonly<Record<string, () => Promise<unknown>>>;

type Loaded<Given extends Loaders> = { readonly [Name in keyof Given]: Awaited<ReturnType<Given[Name]>> };

/**
 * Loads packages that only some users need to install: all that a purpose needs at once, so that one message names all
 * that are missing.
 *
 * @param purpose what they are for, as the start of a sentence: `A SQLite store`
 * @param loaders an `import()` of each, by the name of the package
 * @throws EngineError (PACKAGE_MISSING)
 */
export async function loadPackages<Given extends Loaders>(
  purpose: string,
  loaders: Given,
): Promise<Loaded<Given>> {
  const names = Object.keys(loaders);
  const outcomes = await Promise.allSettled(names.map((name) => loaders[name]?.()));
  const missing = names.filter((_, index) => isMissing(outcomes[index]));
  if (missing.length > 0) {
    const [noun, verb] = missing.length === 1 ? ['package', 'is'] : ['packages', 'are'];
    throw new EngineError(
      'PACKAGE_MISSING',
      `${purpose} needs the ${noun} ${joinNames(missing)}, which ${verb} not installed: npm install ${missing.join(' ')}`,
      { cause: outcomes.find(isMissing)?.reason },
    );
  }
  const loaded = outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
  return Object.fromEntries(names.map((name, index) => [name, loaded[index]])) as Loaded<Given>;
}

const MISSING_CODES: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** A package may also lack the part of it that is made for this machine. */
function isMissing(outcome: PromiseSettledResult<unknown> | undefined): outcome is PromiseRejectedResult {
  if (outcome?.status !== 'rejected') return false;
  const { reason } = outcome;
  return reason instanceof Error && 'code' in reason && MISSING_CODES.has(reason.code);
}

function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
