import type { WarningCode } from '../../../document/reading/document.js';
import type { Rule } from '../../rule.js';

/** Creates a rule for warnings of loading. */
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
