import { EngineError } from '../../errors/engine-error.js';
import { didYouMean } from '../../util/suggest.js';

/** How a scenario is meant to run. Source: https://help.make.com/types-of-errors. */
export interface ScenarioSettings {
  /** `timed`: every so often. `instant`: when an event comes in. Default `timed`. */
  readonly scheduling: 'timed' | 'instant';
  /** One run after the other, and none while an incomplete execution is unresolved. Default false. */
  readonly sequential: boolean;
  /** Whether bundles that fail are kept as incomplete executions. Default false. */
  readonly storeIncomplete: boolean;
  /** Whether a bundle may be dropped where there is no room to keep it; else the scenario goes off. Default false. */
  readonly dataLoss: boolean;
  /** Commit after each bundle of the first module, or once at the end. Default true. */
  readonly autoCommit: boolean;
  /** Errors in a row that turn the scenario off. Default 3. [doc] */
  readonly maxErrors: number;
  /** The same for instant scheduling; the help centre describes 1. Default: `maxErrors`. */
  readonly instantMaxErrors: number;
  /** What a RateLimitError does under instant scheduling. Default `suspend`; the help centre describes `backoff`. */
  readonly instantRateLimit: 'suspend' | 'backoff';
  /** The least a `Retry-After` of a RateLimitError suspends for, in milliseconds. Default 1000. */
  readonly minRetryAfterMs: number;
  /** The most it suspends for; 0 follows none, and the suspension takes 20 minutes always. Default: a day. */
  readonly maxRetryAfterMs: number;
}

/** How a scenario runs unless told otherwise: timed, nothing stored, committed at once, off after three errors in a row. */
export const DEFAULT_SETTINGS: ScenarioSettings = Object.freeze({
  scheduling: 'timed',
  sequential: false,
  storeIncomplete: false,
  dataLoss: false,
  autoCommit: true,
  maxErrors: 3,
  instantMaxErrors: 3,
  instantRateLimit: 'suspend',
  minRetryAfterMs: 1000,
  maxRetryAfterMs: 24 * 60 * 60 * 1000,
});

/**
 * The defaults with the given ones in their place.
 *
 * @throws EngineError (USAGE) for a name that is no setting and a value it cannot have
 */
export function completeSettings(given: Partial<ScenarioSettings> = {}): ScenarioSettings {
  const written = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const [name, value] of Object.entries(written)) assertSetting(name, value);
  const settings = { ...DEFAULT_SETTINGS, ...written };
  return { ...settings, instantMaxErrors: given.instantMaxErrors ?? settings.maxErrors };
}

const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  scheduling: ['timed', 'instant'],
  instantRateLimit: ['suspend', 'backoff'],
};

function assertSetting(name: string, value: unknown): void {
  if (!Object.hasOwn(DEFAULT_SETTINGS, name)) {
    const hint = didYouMean(name, Object.keys(DEFAULT_SETTINGS));
    throw new EngineError('USAGE', `There is no scenario setting "${name}".${hint}`);
  }
  const choices = CHOICES[name];
  if (choices !== undefined && !choices.includes(value)) {
    throw new EngineError('USAGE', `The setting "${name}" is one of ${choices.join(', ')}.`);
  }
  if (name.endsWith('RetryAfterMs')) {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return;
    throw new EngineError('USAGE', `The setting "${name}" has to be a whole number of at least 0.`);
  }
  if (name.endsWith('MaxErrors') || name === 'maxErrors') {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return;
    throw new EngineError('USAGE', `The setting "${name}" has to be a whole number of at least 1.`);
  }
  if (choices === undefined && typeof value !== 'boolean') {
    throw new EngineError('USAGE', `The setting "${name}" has to be true or false.`);
  }
}
