import { readSanitize } from '../../../engine/redaction/sanitize-paths.js';
import { isSecretName } from '../../../engine/redaction/secret-names.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import type { Subject } from '../subject/subject.js';
import { inheritsBase, pointerTo, readAt, type WrittenRequest } from '../subject/walk-requests.js';

export const unsanitizedSecret: Rule = {
  id: 'unsanitized-secret',
  level: 'warning',
  summary: 'A header or query parameter contains a secret that `log.sanitize` does not name.',
  why: 'The platform writes the value to the log of each run, where everyone with access to the scenario can read it.',
  bad: '{ "headers": { "authorization": "Bearer {{connection.apiKey}}" } }',
  good: '{ "headers": { "authorization": "Bearer {{connection.apiKey}}" }, "log": { "sanitize": ["request.headers.authorization"] } }',
  check: (subject, report) => {
    for (const request of subject.requests) {
      const sanitized = readSanitize(listSanitized(subject, request)).request;
      for (const place of ['headers', 'qs'] as const) {
        const members = readAt(request.value, place);
        if (!isPlainObject(members)) continue;
        for (const name of Object.keys(members)) {
          const pointer = pointerTo(request, place, name);
          const isNamed = sanitized[place].has(place === 'headers' ? name.toLowerCase() : name);
          if (isNamed || !readsSecret(subject, request, pointer)) continue;
          const message = `The secret in request.${place}.${name} stands in the log; name it in log.sanitize.`;
          report({ message, place: request.document.locationOf(pointer, undefined, 'key') });
        }
      }
    }
  },
};

function listSanitized(subject: Subject, request: WrittenRequest): readonly string[] {
  const own = readAt(request.value, 'log', 'sanitize');
  const base = inheritsBase(request.in) ? readAt(subject.app.base?.value, 'log', 'sanitize') : undefined;
  return [own, base].flat().filter((path): path is string => typeof path === 'string');
}

/** Whether an expression reads a member of connection or common data with a secret name. */
function readsSecret(subject: Subject, { in: checked }: WrittenRequest, pointer: string): boolean {
  return subject
    .expressionsIn(checked)
    .filter((site) => site.pointer === pointer || site.pointer.startsWith(`${pointer}/`))
    .flatMap(({ paths }) => paths)
    .some(({ root, members }) => {
      const name = members[0]?.name;
      return SECRET_ROOTS.has(root.name) && name !== undefined && isSecretName(name, 'body');
    });
}

const SECRET_ROOTS: ReadonlySet<string> = new Set(['connection', 'common', 'parameters', 'data']);
