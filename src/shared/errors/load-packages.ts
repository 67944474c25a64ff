import { EngineError } from './engine-error.js';

type Loaders = Readonly<Record<string, () => Promise<unknown>>>;

type Loaded<Given extends Loaders> = { readonly [Name in keyof Given]: Awaited<ReturnType<Given[Name]>> };

/**
 * Loads optional packages. Loads all packages of a purpose at once, so that one message names all missing ones.
 *
 * @param purpose start of the message: `A SQLite store`
 * @param loaders one `import()` per package name
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

/** True also if the package lacks its binary for this platform. */
function isMissing(outcome: PromiseSettledResult<unknown> | undefined): outcome is PromiseRejectedResult {
  if (outcome?.status !== 'rejected') return false;
  const { reason } = outcome;
  return reason instanceof Error && 'code' in reason && MISSING_CODES.has(reason.code);
}

function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
