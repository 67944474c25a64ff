import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const shadowedFunction: Rule = createLoaderRule({
  id: 'shadowed-function',
  level: 'warning',
  codes: ['builtin-name'],
  summary: 'A custom function has the name of a built-in one.',
  why: "Expressions call the app's own function and can no longer reach the built-in one, which a reader of the spec does not expect.",
  bad: 'functions/join/code.js: function join(list) { ... }',
  good: 'functions/joinNames/code.js: function joinNames(list) { ... }',
});
