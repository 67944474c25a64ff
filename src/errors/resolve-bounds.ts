import { didYouMean } from '../util/suggest.js';
import { EngineError } from './engine-error.js';

/** What a limit may be, besides a whole number that a number holds exactly. */
export interface BoundsRule {
  /** The smallest value. Default 0. */
  readonly least?: number;
  /** Whether `Infinity` stands for no limit. Default false: timers and sizes of memory need an end. */
  readonly infinity?: boolean;
}

/**
 * The default limits with the given ones in their place; a member that is undefined counts as absent.
 *
 * @throws EngineError (USAGE) for a name that is no limit, with the nearest one, and for a value the rule refuses
 */
export function resolveBounds<Limits extends object>(
  defaults: Limits,
  given: Partial<Limits>,
  { least = 0, infinity = false }: BoundsRule = {},
): Limits {
  const written = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of written) {
    if (!Object.hasOwn(defaults, name)) {
      throw new EngineError(
        'USAGE',
        `There is no limit "${name}".${didYouMean(name, Object.keys(defaults))}`,
      );
    }
    const allowed =
      (Number.isSafeInteger(value) && Number(value) >= least) || (infinity && value === Infinity);
    if (!allowed) {
      throw new EngineError(
        'USAGE',
        `The limit "${name}" has to be a whole number of at least ${least}${infinity ? ', or Infinity' : ''}.`,
      );
    }
  }
  return { ...defaults, ...Object.fromEntries(written) };
}
