import { isPlainObject, readAt } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { Rule } from '../rule.js';
import {
  type DeclaredNames,
  declaredFields,
  storedByConnection,
  storedByConnections,
  writtenMembers,
  writtenTemp,
} from '../subject/declared-names.js';
import { type ExpressionSite, findingAt } from '../subject/expression-site.js';
import type { Subject } from '../subject/subject.js';
import { OAUTH_MEMBERS } from '../subject/visible-names.js';
import { listRequests } from '../subject/walk-requests.js';

/** A rule on the first member of paths that start with certain names: `temp.token`. */
export interface MemberRule extends Omit<Rule, 'check'> {
  readonly roots: readonly string[];
  /** Known members at a location; undefined if unknown. */
  readonly declared: (subject: Subject, site: ExpressionSite, root: string) => DeclaredNames | undefined;
  readonly message: (name: string) => string;
}

/** Creates a rule for undeclared members. */
export function createMemberRule({ roots, declared, message, ...rule }: MemberRule): Rule {
  return {
    ...rule,
    check: (subject, report) => {
      for (const site of subject.expressions) {
        for (const { root, members } of site.paths) {
          const [member] = members;
          if (!roots.includes(root.name) || member?.name === undefined || member.node.kind !== 'member')
            continue;
          const known = declared(subject, site, root.name);
          if (known === undefined || known.isOpen || known.names.has(member.name)) continue;
          const range = {
            start: member.node.end - writtenLength(site, member.node.end, member.name),
            end: member.node.end,
          };
          report(findingAt(site, range, message(member.name) + didYouMean(member.name, known.names)));
        }
      }
    },
  };
}

/** Backticks add two characters. */
function writtenLength({ parsed }: ExpressionSite, end: number, name: string): number {
  return parsed.ok && parsed.template.source[end - 1] === '`' ? name.length + 2 : name.length;
}

/** Source: the pages on OAuth connections and pagination of https://developers.make.com/custom-apps-documentation. [doc] */
const MEMBERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['oauth', new Set(OAUTH_MEMBERS)],
  ['pagination', new Set(['page'])],
]);

const unknownMember: Rule = createMemberRule({
  id: 'unknown-member',
  area: 'app',
  level: 'error',
  summary: 'An expression reads a member of `oauth` or `pagination` that does not exist.',
  why: 'The member is undefined. There is no `oauth.state`: the platform adds and checks its own state.',
  bad: '"qs": { "redirect_uri": "{{oauth.redirectUrl}}" }',
  good: '"qs": { "redirect_uri": "{{oauth.localRedirectUri}}" }',
  roots: [...MEMBERS.keys()],
  declared: (_subject, _site, root) => ({ names: MEMBERS.get(root) ?? new Set(), isOpen: false }),
  message: (name) =>
    name === 'state'
      ? 'There is no "state" here: the platform adds and checks a state of its own.'
      : `The platform gives no "${name}" here.`,
});

const TEMP_MEMBERS: Rule = createMemberRule({
  id: 'unwritten-temp',
  area: 'app',
  level: 'error',
  summary: 'An expression reads a member of `temp` that nothing writes, or nothing writes before.',
  why: 'The member is always undefined: neither `temp` nor `response.temp` of the component or the base writes it, or only after the expression is evaluated. `response.temp` is written after the response, and the members of one `temp` do not read each other.',
  bad: '{ "temp": { "token": "{{body.token}}" }, "url": "/items?t={{temp.tokn}}" }',
  good: '{ "temp": { "token": "{{body.token}}" }, "url": "/items?t={{temp.token}}" }',
  roots: ['temp'],
  declared: (subject, { in: checked }) => writtenTemp(subject, checked.owner),
  message: (name) => `Nothing writes temp.${name}.`,
});

const unwrittenTemp: Rule = {
  ...TEMP_MEMBERS,
  check: (subject, report) => {
    TEMP_MEMBERS.check(subject, report);
    for (const site of subject.expressions) {
      if (!site.paths.some(({ root }) => root.name === 'temp')) continue;
      const all = writtenTemp(subject, site.in.owner);
      const before = writtenBefore(subject, site);
      if (before === undefined || before.isOpen) continue;
      for (const { root, members } of site.paths) {
        const name = members[0]?.name;
        // The rule above reports what nothing writes.
        if (root.name !== 'temp' || name === undefined || before.names.has(name) || !all.names.has(name))
          continue;
        const message = `temp.${name} is written only after this expression is evaluated.`;
        report(findingAt(site, root, message));
      }
    }
  },
};

/**
 * Members of `temp` that are written before a directive of a request is evaluated: by earlier requests of the chain, by
 * the base, and by the `temp` of the request, whose members do not read each other. Undefined for a directive that is
 * evaluated later, and for a request that is sent again.
 */
function writtenBefore(
  subject: Subject,
  { in: checked, location }: ExpressionSite,
): DeclaredNames | undefined {
  const { owner, kind, part } = checked;
  if ((owner?.kind !== 'module' && owner?.kind !== 'rpc') || kind !== 'api' || part !== 'communication')
    return undefined;
  if (location.phase !== 'request' || location.directive[0] === 'response') return undefined;
  const requests = listRequests(checked);
  const own = requests.find(({ element }) => element === location.element);
  const base = subject.app.base?.value;
  const isSentAgain = [own?.value, base].some((request) =>
    AGAIN.some((name) => readAt(request, name) !== undefined),
  );
  if (own === undefined || isSentAgain) return undefined;
  const earlier = requests.filter(({ element }) => element < location.element);
  return writtenMembers([
    readAt(base, 'temp'),
    ...earlier.flatMap(({ value }) => [readAt(value, 'temp'), readAt(value, 'response', 'temp')]),
    ...(earlier.length > 0 ? [readAt(base, 'response', 'temp')] : []),
    ...(location.directive[0] === 'temp' ? [] : [readAt(own.value, 'temp')]),
  ]);
}

const AGAIN = ['pagination', 'repeat', 'while'];

const unstoredConnectionData: Rule = createMemberRule({
  id: 'unstored-connection-data',
  area: 'connections',
  level: 'error',
  summary:
    'An expression reads a member of `connection`, or of `data` in a connection, that the connection does not store.',
  why: 'A connection stores its parameters and the `response.data` of its communication. Other members are undefined: a request is sent without credentials, and a token without a stored `data.expires` is not refreshed in time.',
  bad: '"headers": { "authorization": "Bearer {{connection.token}}" }',
  good: '"headers": { "authorization": "Bearer {{connection.accessToken}}" }',
  roots: ['connection', 'data'],
  declared: findStored,
  message: (name) =>
    `The connection keeps no "${name}": no parameter has this name, and no response.data writes it.`,
});

/** Before its first response, a basic connection has its parameters only. */
function isFirstRequest({ in: { kind, part }, location: { phase, element } }: ExpressionSite): boolean {
  return kind === 'api' && part === 'communication' && phase === 'request' && element === 0;
}

function findStored(subject: Subject, site: ExpressionSite, root: string): DeclaredNames | undefined {
  const { owner } = site.in;
  // Elsewhere `data` is the state of a trigger.
  if (root === 'data' && owner?.kind !== 'connection') return undefined;
  if (owner?.kind === 'connection') {
    const connection = subject.app.connections.get(owner.name);
    if (connection !== undefined && isFirstRequest(site)) return declaredFields(connection.params);
    return connection && storedByConnection(subject, connection);
  }
  // The base is used with any connection.
  if (owner === undefined) return storedByConnections(subject, [...subject.app.connections.keys()]);
  return owner.connections.length === 0 ? undefined : storedByConnections(subject, owner.connections);
}

/**
 * Members that the platform sets. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc]
 */
const GIVEN = ['id', 'url'];

const unstoredWebhookData: Rule = createMemberRule({
  id: 'unstored-webhook-data',
  area: 'webhooks',
  level: 'error',
  summary: 'An expression reads a member of `webhook` that neither attach nor update stores.',
  why: 'A webhook stores the `response.data` of attach and update, `webhook.url` and `webhook.id`. Other members are undefined: detach then calls an address without the ID.',
  bad: 'attach: { "response": { "data": { "hookId": "{{body.id}}" } } }; detach: { "url": "/hooks/{{webhook.hokId}}" }',
  good: 'attach: { "response": { "data": { "hookId": "{{body.id}}" } } }; detach: { "url": "/hooks/{{webhook.hookId}}" }',
  roots: ['webhook'],
  declared: (subject, { in: { owner } }) => {
    const name = owner?.kind === 'webhook' ? owner.name : owner?.webhook;
    if (name === undefined || !subject.app.webhooks.has(name)) return undefined;
    const requests = subject
      .documentsOf('webhook', name)
      .filter(({ part }) => part === 'attach' || part === 'update')
      .flatMap(listRequests);
    const base = readAt(subject.app.base?.value, 'response', 'data');
    const { names, isOpen } = writtenMembers([
      base,
      ...requests.map(({ value }) => readAt(value, 'response', 'data')),
    ]);
    return { names: new Set([...GIVEN, ...names]), isOpen };
  },
  message: (name) => `The webhook stores no "${name}": no response.data of attach or update writes it.`,
});

const undeclaredCommon: Rule = createMemberRule({
  id: 'undeclared-common',
  area: 'base',
  level: 'warning',
  summary: 'An expression reads a member of `common` that the common data do not contain.',
  why: 'The member is undefined. Common data are often not in the repository; without the file, the rule reports nothing.',
  bad: '"client_id": "{{common.clientID}}"',
  good: '"client_id": "{{common.clientId}}"',
  roots: ['common'],
  declared: (subject, { in: { owner } }) => {
    const own = owner?.kind === 'connection' ? subject.app.connections.get(owner.name)?.common : undefined;
    const common = owner?.kind === 'connection' ? (own ?? subject.app.common) : subject.app.common;
    // An empty object: the common data are stored elsewhere.
    if (!isPlainObject(common?.value) || Object.keys(common.value).length === 0) return undefined;
    return writtenMembers([common.value]);
  },
  message: (name) => `The common data hold no "${name}".`,
});

export const MEMBER_RULES: readonly Rule[] = [
  unknownMember,
  unwrittenTemp,
  unstoredConnectionData,
  unstoredWebhookData,
  undeclaredCommon,
];
