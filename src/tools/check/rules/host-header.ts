import { isPlainObject } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import { pointerTo, readAt } from '../subject/walk-requests.js';

export const hostHeader: Rule = {
  id: 'host-header',
  level: 'warning',
  summary: 'A request writes a `Host` header.',
  why: 'The header follows from the address. One that names another host is refused, as the network guard judged the host of the address.',
  bad: '"headers": { "Host": "api.example.com" }',
  good: '"headers": {}',
  check: (subject, report) => {
    for (const request of subject.requests) {
      for (const path of [['headers'], ['pagination', 'headers']]) {
        const headers = readAt(request.value, ...path);
        if (!isPlainObject(headers)) continue;
        for (const name of Object.keys(headers).filter((key) => key.toLowerCase() === 'host')) {
          const place = request.document.locationOf(pointerTo(request, ...path, name), undefined, 'key');
          report({ message: 'The Host header follows from the address; leave it out.', place });
        }
      }
    }
  },
};
