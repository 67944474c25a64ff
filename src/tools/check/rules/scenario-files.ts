import type { Rule } from '../rule.js';

export const scenarioFile: Rule = {
  id: 'scenario-file',
  level: 'error',
  summary: 'A file of scenarios cannot be read, or names what the app does not have.',
  why: 'The host refuses it: `iml serve` does not start with the file, or leaves the scenario out.',
  bad: '{ "scenarios": [{ "name": "a", "everyMinutes": 5, "modules": [{ "app": "crm", "module": "lstUsers" }] }] }',
  good: '{ "scenarios": [{ "name": "a", "everyMinutes": 5, "modules": [{ "app": "crm", "module": "listUsers" }] }] }',
  check: ({ scenarioRefusals }, report) => {
    for (const { message, place, isAboutAnswer } of scenarioRefusals)
      if (!isAboutAnswer) report({ message, place });
  },
};

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
