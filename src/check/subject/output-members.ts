import { isPlainObject } from '../../util/plain-object.js';
import { writtenMembers } from './declared-names.js';
import type { Subject } from './subject.js';
import { listRequests, readAt } from './walk-requests.js';

/** Members of a literal output; undefined if they are not known. */
export function findOutputMembers(subject: Subject, module: string): ReadonlySet<string> | undefined {
  const communication = subject.documentsOf('module', module).find(({ part }) => part === 'communication');
  const requests = communication === undefined ? [] : listRequests(communication);
  const last = requests.at(-1);
  if (last === undefined || readAt(last.value, 'response', 'wrapper') !== undefined) return undefined;
  const outputs = requests
    .map(({ value }) => readAt(value, 'response', 'output'))
    .filter((output) => output !== undefined);
  const inherited =
    readAt(subject.app.base?.value, 'response', 'output') ??
    readAt(subject.app.base?.value, 'response', 'wrapper');
  // Any element of a chain can be the last that runs, and defaults of conditions can be anything.
  if (outputs.length === 0 || inherited !== undefined || !outputs.every(isPlainObject)) return undefined;
  if (requests.some(({ value }) => readAt(value, 'condition', 'default') !== undefined)) return undefined;
  const members = writtenMembers(outputs);
  return members.isOpen ? undefined : members.names;
}
