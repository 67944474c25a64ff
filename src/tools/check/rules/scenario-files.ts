import type { Rule } from '../rule.js';

export const scenarioFile: Rule = {
  id: 'scenario-file',
  level: 'error',
  summary: 'A file of scenarios cannot be read, or names a component that the app does not have.',
  why: '`iml serve` does not start with the file, or skips the scenario.',
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
  summary: 'A scenario has a responder and processes its events in order.',
  why: 'The sender waits for the response while its event waits for earlier events. The host refuses such a scenario.',
  bad: '{ "name": "a", "ordered": true, "modules": [..., { "app": "crm", "module": "answer" }] }',
  good: '{ "name": "a", "modules": [..., { "app": "crm", "module": "answer" }] }',
  check: ({ scenarioRefusals }, report) => {
    for (const { message, place, isAboutAnswer } of scenarioRefusals)
      if (isAboutAnswer) report({ message, place });
  },
};
