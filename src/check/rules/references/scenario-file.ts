import type { Rule } from '../../rule.js';

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
