import { isPlainObject } from '../../../shared/plain-object.js';
import type { ReportFinding, Rule } from '../rule.js';
import { type ExpressionSite, findingAt } from '../subject/expression-site.js';
import type { Subject } from '../subject/subject.js';
import { inheritsBase, listRequests, readAt } from '../subject/walk-requests.js';

export const connectionMissing: Rule = {
  id: 'connection-missing',
  level: 'error',
  summary: 'A component or its base reads `connection`, and the component names no connection.',
  why: 'The component runs without a connection, so `connection` is undefined.',
  bad: '"getUser": { "moduleType": "action", "connection": null }',
  good: '"getUser": { "moduleType": "action", "connection": "account" }',
  check: (subject, report) => {
    reportBase(subject, report);
    for (const site of subject.expressions) {
      const { owner } = site.in;
      if (owner === undefined || owner.kind === 'connection' || owner.connections.length > 0) continue;
      // An RPC of a connection's form, and an endpoint, use the connection of the caller.
      if (owner.kind === 'endpoint' || subject.app.connections.size === 0) continue;
      for (const { root } of site.paths) {
        if (root.name !== 'connection' || root.form !== 'plain') continue;
        const message = `The ${owner.kind} "${owner.name}" reads connection and names none.`;
        report(findingAt(site, root, message));
      }
    }
  },
};

/** Modules without a connection whose base reads `connection`. */
function reportBase(subject: Subject, report: ReportFinding): void {
  const { app } = subject;
  const base = subject.allDocuments.find(({ kind, owner }) => kind === 'base' && owner === undefined);
  const reads = base === undefined ? [] : subject.expressionsIn(base).filter(readsConnection);
  if (reads.length === 0 || app.connections.size === 0) return;
  for (const checked of subject.documents) {
    const { owner, part, document } = checked;
    if (owner?.kind !== 'module' || part !== 'communication' || !inheritsBase(checked)) continue;
    if (owner.connections.length > 0) continue;
    const webhook = owner.webhook === undefined ? undefined : app.webhooks.get(owner.webhook);
    if (webhook?.connection !== undefined) continue;
    const sent = listRequests(checked).filter(({ value }) => value['url'] !== undefined);
    const read = reads.find(({ location }) => sent.some(({ value }) => !replaces(value, location.directive)));
    if (read === undefined) continue;
    const message = `The module "${owner.name}" names no connection, and the base reads connection in ${read.location.directive.join('.')}.`;
    report({ message, place: document.locationOf('') });
  }
}

/** Whether an expression needs `connection`. In functions and conditions it may be optional. */
function readsConnection({ nodes, paths, location }: ExpressionSite): boolean {
  const isGuarded = nodes.some(
    (node) =>
      (node.kind === 'call' && ['if', 'ifempty', 'switch'].includes(node.name)) ||
      (node.kind === 'binary' && (node.operator === '&' || node.operator === '|')),
  );
  return (
    location.phase === 'request' &&
    !isGuarded &&
    paths.some(({ root }) => root.name === 'connection' && root.form === 'plain')
  );
}

/** Whether a request overrides a directive of the base: members of headers and qs one by one, others as a whole. */
function replaces(request: Readonly<Record<string, unknown>>, directive: readonly string[]): boolean {
  const [name = '', member = ''] = directive;
  if (name === 'baseUrl') return typeof request['url'] === 'string' && !request['url'].startsWith('/');
  if (name !== 'headers' && name !== 'qs') return request[name] !== undefined;
  const own = readAt(request, name);
  // An expression can return any member.
  if (!isPlainObject(own)) return typeof own === 'string';
  return Object.keys(own).some((key) => key === member || key.toLowerCase() === member.toLowerCase());
}
