import type { WarningCode } from '../../../document/reading/document.js';
import type { Rule } from '../../rule.js';

/** Makes the rule that passes on what loading an app warns of, so that both find the same by the same code. */
export function createLoaderRule({
  codes,
  ...rule
}: Omit<Rule, 'check'> & { readonly codes: readonly WarningCode[] }): Rule {
  return {
    ...rule,
    check: ({ app }, report) => {
      for (const { code, message, place } of app.warnings)
        if (codes.includes(code)) report({ message, place });
    },
  };
}
