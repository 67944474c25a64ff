import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const manifestShape: Rule = createLoaderRule({
  id: 'manifest-shape',
  level: 'warning',
  codes: ['null-component', 'component-is-array', 'undeclared-component', 'upgraded'],
  summary: 'The manifest holds a component in a shape that the editor does not write.',
  why: 'It is read as far as it can be; other tools may not.',
  bad: '"components": { "rpc": [{ "name": "listTables" }] }',
  good: '"components": { "rpc": { "listTables": {} } }',
});
