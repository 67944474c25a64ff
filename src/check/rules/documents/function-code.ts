import type { Rule } from '../../rule.js';

/** What compiling the custom functions of an app finds. */
export const functionCode: Rule = {
  id: 'function-code',
  level: 'error',
  summary: 'The code of a custom function is missing, or declares no function of its name.',
  why: 'Every expression that calls it ends its run with an error.',
  bad: 'functions/total/code.js: const sum = 1',
  good: 'functions/total/code.js: function total(items) { return items.length }',
  check: ({ functionWarnings }, report) => {
    for (const { code, message, place } of functionWarnings)
      if (!TOLD_BY_LOADING.has(code)) report({ message, place });
  },
};

/** What does not compile is told as `syntax`, what is too long as `function-length`. */
const TOLD_BY_LOADING: ReadonlySet<string> = new Set(['syntax', 'code-too-long', 'builtin-name']);
