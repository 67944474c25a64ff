import type { Level } from '../finding.js';
import type { Rule } from '../rule.js';

/** Settings of the check. */
export interface CheckSettings {
  /** Level by rule ID; `off` disables the rule. */
  readonly levels: Readonly<Record<string, Level | 'off'>>;
}

export const DEFAULT_CHECK_SETTINGS: CheckSettings = { levels: {} };

/** The level of a rule. */
export function resolveLevel({ levels }: CheckSettings, rule: Pick<Rule, 'id' | 'level'>): Level | 'off' {
  return (Object.hasOwn(levels, rule.id) ? levels[rule.id] : undefined) ?? rule.level;
}
