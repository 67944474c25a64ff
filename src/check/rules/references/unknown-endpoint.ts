import { didYouMean } from '../../../util/suggest.js';
import type { Rule } from '../../rule.js';
import { holdsRequests, listRequests, pointerTo, readAt } from '../../subject/walk-requests.js';

export const unknownEndpoint: Rule = {
  id: 'unknown-endpoint',
  level: 'error',
  summary: 'A request calls an endpoint that the app does not have.',
  why: 'The run ends with an InvalidConfigurationError.',
  bad: '{ "endpoint": "listUser" }',
  good: '{ "endpoint": "listUsers" }',
  check: ({ app, documents }, report) => {
    for (const request of documents.filter(holdsRequests).flatMap(listRequests)) {
      const written = readAt(request.value, 'endpoint');
      const isText = typeof written === 'string';
      const name = isText ? written : readAt(written, 'name');
      if (typeof name !== 'string' || name.includes('{{') || app.endpoints.has(name)) continue;
      const pointer = pointerTo(request, 'endpoint', ...(isText ? [] : ['name']));
      const message = `The app has no endpoint "${name}".${didYouMean(name, app.endpoints.keys())}`;
      report({ message, place: request.document.placeOf(pointer) });
    }
  },
};
