import type { Rule } from '../../rule.js';

export const unknownEndpoint: Rule = {
  id: 'unknown-endpoint',
  level: 'error',
  summary: 'A request calls an endpoint that the app does not have, or calls one from inside of another.',
  why: 'The run ends with a RuntimeError: endpoints are called by their names, and call no further.',
  bad: '{ "endpoint": "listUser" }',
  good: '{ "endpoint": "listUsers" }',
  check: ({ refusals }, report) => {
    for (const { error, isOfEndpoint } of refusals)
      if (isOfEndpoint) report({ message: error.message, place: error.place ?? {} });
  },
};
