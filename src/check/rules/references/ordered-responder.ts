import type { Rule } from '../../rule.js';

export const orderedResponder: Rule = {
  id: 'ordered-responder',
  level: 'error',
  summary: 'A scenario has a responder and keeps the order of its events.',
  why: 'The sender waits for the answer while its event waits behind others, so the host refuses such a scenario.',
  bad: '{ "name": "a", "ordered": true, "modules": [..., { "app": "crm", "module": "answer" }] }',
  good: '{ "name": "a", "modules": [..., { "app": "crm", "module": "answer" }] }',
  check: ({ scenarioRefusals }, report) => {
    for (const { message, place, isAboutAnswer } of scenarioRefusals)
      if (isAboutAnswer) report({ message, place });
  },
};
