import { readSanitize } from '../../../engine/redaction/sanitize-paths.js';
import { isSecretName, type NamePlace } from '../../../engine/redaction/secret-names.js';
import { isPlainObject, readAt } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import type { Subject } from '../subject/subject.js';
import { TOKEN } from '../subject/token-formats.js';
import { inheritsBase, pointerTo, type WrittenRequest } from '../subject/walk-requests.js';

export const SECRET_RULES: readonly Rule[] = [
  {
    id: 'unsanitized-secret',
    area: 'base',
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
            const message = `The secret in request.${place}.${name} is written to the log. Add it to log.sanitize.`;
            report({ message, place: request.document.locationOf(pointer, undefined, 'key') });
          }
        }
      }
    },
  },
  {
    id: 'hard-coded-secret',
    area: 'base',
    level: 'warning',
    summary: 'A request contains a key or token as a constant.',
    why: 'Everybody who can read the app can use the key, and all users share it. Ask for it in the connection, or store the secret of the app in the common data, which Make encrypts.',
    bad: '"headers": { "authorization": "Bearer sk_live_4eC39HqLyjWDarjtT1" }',
    good: '"headers": { "authorization": "Bearer {{connection.apiKey}}" }',
    check: ({ requests }, report) => {
      for (const request of requests) {
        for (const [name, place] of WRITTEN_IN) {
          const written = readAt(request.value, name);
          const members: readonly (readonly [string, unknown])[] = isPlainObject(written)
            ? Object.entries(written)
            : [['', written]];
          for (const [key, value] of members) {
            if (typeof value !== 'string' || !isKey(key, value, place)) continue;
            const pointer = key === '' ? pointerTo(request, name) : pointerTo(request, name, key);
            const message = `The ${key === '' ? name : `member ${name}.${key}`} contains a key. Read it from the connection or the common data.`;
            report({ message, place: request.document.locationOf(pointer) });
          }
        }
      }
    },
  },
];

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

const WRITTEN_IN: readonly (readonly [directive: string, place: NamePlace])[] = [
  ['url', 'query'],
  ['headers', 'header'],
  ['qs', 'query'],
  ['body', 'body'],
];

/** Whether a constant has the format of a token, or a secret name and the look of a random text. */
function isKey(name: string, value: string, place: NamePlace): boolean {
  if (TOKEN.test(value)) return true;
  if (name === '' || value.includes('{{') || !isSecretName(name, place)) return false;
  const [, credential = ''] = /^\s*(?:(?:Bearer|Token|Basic|ApiKey)\s+)?(\S+)\s*$/i.exec(value) ?? [];
  return (
    credential.length >= 20 &&
    /\d/.test(credential) &&
    /[A-Za-z]/.test(credential) &&
    !/^https?:/.test(credential)
  );
}
