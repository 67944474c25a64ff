import { METHODS } from 'node:http';
import { didYouMean } from '../../../shared/suggest.js';
import type { Rule } from '../rule.js';
import { pointerTo, readAt } from '../subject/walk-requests.js';

export const unknownMethod: Rule = {
  id: 'unknown-method',
  level: 'error',
  summary: 'A request has an HTTP method that does not exist.',
  why: 'Servers respond to such a request with an error, usually 400, 405 or 501.',
  bad: '{ "url": "/items", "method": "GTE" }',
  good: '{ "url": "/items", "method": "GET" }',
  check: (subject, report) => {
    for (const request of subject.requests) {
      for (const path of [['method'], ['pagination', 'method']]) {
        const method = readAt(request.value, ...path);
        if (typeof method !== 'string' || method === '' || method.includes('{{')) continue;
        if (METHODS.includes(method.trim().toUpperCase())) continue;
        report({
          message: `There is no HTTP method "${method}".${didYouMean(method.toUpperCase(), METHODS)}`,
          place: request.document.locationOf(pointerTo(request, ...path)),
        });
      }
    }
  },
};
