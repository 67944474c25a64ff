import { isPlainObject, readAt } from '../../../shared/plain-object.js';
import type { ReportFinding, Rule } from '../rule.js';
import { declaredFields } from '../subject/declared-names.js';
import { type ExpressionSite, findingAt } from '../subject/expression-site.js';
import type { Subject } from '../subject/subject.js';
import { inheritsBase, listRequests, pointerTo } from '../subject/walk-requests.js';

export const CONNECTION_RULES: readonly Rule[] = [
  {
    id: 'connection-missing',
    area: 'connections',
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
          const message = `The ${owner.kind} "${owner.name}" reads \`connection\` but names no connection.`;
          report(findingAt(site, root, message));
        }
      }
    },
  },
  {
    id: 'endless-verification',
    area: 'webhooks',
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
  },
  {
    id: 'connection-keeps-nothing',
    area: 'connections',
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
  },
];

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
    const message = `The module "${owner.name}" names no connection, but the base reads \`connection\` in ${read.location.directive.join('.')}.`;
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
