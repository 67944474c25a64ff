import type { Level } from '../finding.js';
import type { Rule } from '../rule.js';

/** What a user of the check has set. */
export interface CheckSettings {
  /** Level by id of a rule; `off` switches it off. */
  readonly levels: Readonly<Record<string, Level | 'off'>>;
}

export const DEFAULT_CHECK_SETTINGS: CheckSettings = { levels: {} };

/** The level a rule has under these settings. */
export function resolveLevel({ levels }: CheckSettings, rule: Pick<Rule, 'id' | 'level'>): Level | 'off' {
  return (Object.hasOwn(levels, rule.id) ? levels[rule.id] : undefined) ?? rule.level;
}
