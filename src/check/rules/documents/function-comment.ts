import type { Rule } from '../../rule.js';

export const functionComment: Rule = {
  id: 'function-comment',
  level: 'warning',
  summary: 'The code of a custom function starts with a comment.',
  why: 'The platform takes the text up to the first bracket for the head of the function, and reports a syntax error where a comment stands before it.',
  bad: '// Adds up.\nfunction total(items) { return items.length }',
  good: 'function total(items) {\n  // Adds up.\n  return items.length;\n}',
  check: ({ app }, report) => {
    for (const { name, code, file } of app.functions.values()) {
      if (code === undefined || !/^\uFEFF?\s*\/[/*]/.test(code)) continue;
      report({
        message: `The code of "${name}" starts with a comment; move it inside of the function.`,
        place: { file, line: 1, column: 1 },
      });
    }
  },
};
