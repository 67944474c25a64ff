import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const unknownReference: Rule = createLoaderRule({
  id: 'unknown-reference',
  level: 'error',
  codes: ['unknown-reference'],
  summary: 'A connection, webhook, RPC or module is named that the app does not have.',
  why: 'A run that needs it cannot start, a form shows nothing where an RPC should give its fields, and a call of an endpoint runs with the connection of its caller.',
  bad: '"options": "rpc://listTable"',
  good: '"options": "rpc://listTables"',
});
