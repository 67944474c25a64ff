import { isPlainObject } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import { pointerTo, readAt } from '../subject/walk-requests.js';

export const hostHeader: Rule = {
  id: 'host-header',
  level: 'warning',
  summary: 'A request sets the header `Host`.',
  why: 'The header is derived from the URL. The engine refuses another host, because the network guard checked the host of the URL.',
  bad: '"headers": { "Host": "api.example.com" }',
  good: '"headers": {}',
  check: (subject, report) => {
    for (const request of subject.requests) {
      for (const path of [['headers'], ['pagination', 'headers']]) {
        const headers = readAt(request.value, ...path);
        if (!isPlainObject(headers)) continue;
        for (const name of Object.keys(headers).filter((key) => key.toLowerCase() === 'host')) {
          const place = request.document.locationOf(pointerTo(request, ...path, name), undefined, 'key');
          report({ message: 'Remove the header Host: it is derived from the URL.', place });
        }
      }
    }
  },
};
