import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const undeclaredFile: Rule = createLoaderRule({
  id: 'undeclared-file',
  level: 'info',
  codes: ['undeclared-file'],
  summary: 'A file looks like a part of the app and no component names it.',
  why: 'It is not deployed and does not run.',
  bad: 'modules/oldThing/oldThing.communication.iml.json',
  good: 'The file is removed, or named by a component of the manifest.',
});
