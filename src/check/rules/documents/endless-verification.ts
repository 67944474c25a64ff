import { isPlainObject } from '../../../util/plain-object.js';
import type { Rule } from '../../rule.js';
import { listRequests, pointerTo } from '../../subject/walk-requests.js';

export const endlessVerification: Rule = {
  id: 'endless-verification',
  level: 'error',
  summary: 'A webhook has a `verification` without a condition.',
  why: 'The condition is true by default, so every call is taken for the verification and no event ever comes through.',
  bad: '"verification": { "respond": { "body": "{{query.challenge}}" } }',
  good: '"verification": { "condition": "{{query.challenge}}", "respond": { "body": "{{query.challenge}}" } }',
  check: (subject, report) => {
    for (const checked of subject.documents) {
      if (checked.kind !== 'webhook') continue;
      for (const request of listRequests(checked)) {
        const verification = request.value['verification'];
        if (!isPlainObject(verification) || Object.keys(verification).length === 0) continue;
        if (verification['condition'] !== undefined) continue;
        const place = checked.document.locationOf(pointerTo(request, 'verification'), undefined, 'key');
        report({
          message: 'Without a condition every call is answered as a verification, and none is an event.',
          place,
        });
      }
    }
  },
};
