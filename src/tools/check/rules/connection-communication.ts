import { isPlainObject } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import { declaredFields } from '../subject/declared-names.js';
import { listRequests, pointerTo, readAt } from '../subject/walk-requests.js';

export const endlessVerification: Rule = {
  id: 'endless-verification',
  level: 'error',
  summary: 'A webhook has a `verification` without a condition.',
  why: 'The condition is true by default. Each call then counts as the verification, and the webhook never outputs an event.',
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
          message: 'Without a condition, each call is a verification and no call is an event.',
          place,
        });
      }
    }
  },
};

export const connectionKeepsNothing: Rule = {
  id: 'connection-keeps-nothing',
  level: 'error',
  summary: 'An OAuth connection has no `response.data`, and modules read `connection`.',
  why: 'A connection stores only what `response.data` writes. Without it, the access token is lost.',
  bad: '"token": { "url": "https://example.com/token", "response": {} }',
  good: '"token": { "url": "https://example.com/token", "response": { "data": { "accessToken": "{{body.access_token}}" } } }',
  check: (subject, report) => {
    for (const checked of subject.documents) {
      const { owner, kind, document } = checked;
      if (kind !== 'oauth' || owner === undefined) continue;
      const requests = listRequests(checked);
      if (
        requests.length === 0 ||
        requests.some(({ value }) => readAt(value, 'response', 'data') !== undefined)
      )
        continue;
      const fields = declaredFields(subject.app.connections.get(owner.name)?.params).names;
      const isRead = subject.expressions
        .filter(
          ({ in: { owner: reader } }) => reader === undefined || reader.connections.includes(owner.name),
        )
        .flatMap(({ paths }) => paths)
        .some(({ root, members }) => root.name === 'connection' && !fields.has(members[0]?.name ?? ''));
      if (!isRead) continue;
      report({
        message: `The connection "${owner.name}" stores nothing of the response. Add response.data.`,
        place: document.locationOf(''),
      });
    }
  },
};
