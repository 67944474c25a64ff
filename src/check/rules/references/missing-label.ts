import type { Rule } from '../../rule.js';

export const missingLabel: Rule = {
  id: 'missing-label',
  level: 'warning',
  summary: 'A module has no label, and others of the app have one.',
  why: 'The label is what users see in the list of modules. Make requires one.',
  bad: '"getUser": { "moduleType": "action", "connection": "account" }',
  good: '"getUser": { "label": "Get a user", "moduleType": "action", "connection": "account" }',
  check: ({ app, part, documentsOf }, report) => {
    // An app without labels is a draft or in a layout without labels.
    if (![...app.modules.values()].some(({ label }) => label !== undefined)) return;
    for (const { name, label } of app.modules.values()) {
      if (label !== undefined || part?.has('module', name) === false) continue;
      const place = documentsOf('module', name)[0]?.document.locationOf('') ?? {};
      report({ message: `The module "${name}" has no label.`, place });
    }
  },
};
