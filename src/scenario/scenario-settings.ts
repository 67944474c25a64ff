import { EngineError } from '../shared/errors/engine-error.js';
import { didYouMean } from '../shared/suggest.js';

/** Settings of a scenario. Source: https://help.make.com/types-of-errors. */
export interface ScenarioSettings {
  /** `timed`: by a schedule. `instant`: by events. Default: `timed`. */
  readonly scheduling: 'timed' | 'instant';
  /** Runs one at a time, and none while an incomplete execution is unresolved. Default: false. */
  readonly sequential: boolean;
  /** Whether to store failed bundles as incomplete executions. Default: false. */
  readonly storeIncomplete: boolean;
  /** Whether to discard a bundle if the store is full; otherwise the scenario is turned off. Default: false. */
  readonly dataLoss: boolean;
  /** Whether to commit after each bundle of the first module, or once at the end. Default: true. */
  readonly autoCommit: boolean;
  /** Consecutive errors that turn the scenario off. Default: 3. [doc] */
  readonly maxErrors: number;
  /** Same as `maxErrors` for instant scheduling; the help centre describes 1. Default: `maxErrors`. */
  readonly instantMaxErrors: number;
  /** Reaction to a RateLimitError with instant scheduling. Default: `suspend`; the help centre describes `backoff`. */
  readonly instantRateLimit: 'suspend' | 'backoff';
  /** Shortest suspension for a `Retry-After` in milliseconds. Default: 1000. */
  readonly minRetryAfterMs: number;
  /**
   * Longest suspension for a `Retry-After` in milliseconds; 0 ignores it, and the suspension takes 20 minutes.
   * Default: one day.
   */
  readonly maxRetryAfterMs: number;
}

/** Default settings: timed, nothing stored, auto-commit, off after three consecutive errors. */
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
 * Merges settings into the defaults.
 *
 * @throws EngineError (USAGE) for an unknown setting or an invalid value
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
    throw new EngineError('USAGE', `Unknown scenario setting "${name}".${hint}`);
  }
  const choices = CHOICES[name];
  if (choices !== undefined && !choices.includes(value)) {
    throw new EngineError('USAGE', `The setting "${name}" has to be one of ${choices.join(', ')}.`);
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
