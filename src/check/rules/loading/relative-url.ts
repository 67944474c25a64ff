import type { Rule } from '../../rule.js';
import { createLoaderRule } from './loader-rule.js';

export const relativeUrl: Rule = createLoaderRule({
  id: 'relative-url',
  level: 'error',
  codes: ['unusable-url'],
  summary: 'A relative url has no `baseUrl` to follow, or the `baseUrl` has no scheme.',
  why: 'There is no address to send the request to, and the run ends with an InvalidConfigurationError. Connections and the specification of a webhook do not inherit the base.',
  bad: '{ "baseUrl": "api.example.com" }',
  good: '{ "baseUrl": "https://api.example.com" }',
});
