import {
  listLevel,
  type ParameterElement,
  type ParameterSpec,
} from '../../../engine/parameters/parameter-spec.js';
import type { Binary, Expression, Name } from '../../../language/syntax/ast.js';
import type { PathMember, WrittenPath } from '../../../language/syntax/walk-expression.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { Rule } from '../rule.js';
import type { CheckedDocument } from '../subject/checked-document.js';
import { declaredParameters } from '../subject/declared-names.js';
import { type ExpressionSite, findingAt, replacementAt } from '../subject/expression-site.js';
import { readableForm } from '../subject/form-fields.js';
import type { Subject } from '../subject/subject.js';
import { listVisibleNames, NAME_MEANINGS } from '../subject/visible-names.js';
import { createMemberRule } from './member-rules.js';

const unknownName: Rule = {
  id: 'unknown-name',
  area: 'app',
  level: 'error',
  summary: 'An expression starts with a name that is not available in its location.',
  why: 'The name is always undefined: `item` outside of `iterate`, `oauth` outside of an OAuth connection, `body` before a response, or a name that nothing defines.',
  bad: '"qs": { "id": "{{item.id}}" }',
  good: '"qs": { "id": "{{parameters.id}}" }',
  check: (subject, report) => {
    for (const site of subject.expressions) {
      if (site.paths.length === 0) continue;
      const visible = listVisibleNames(subject.app, site.in, site.location);
      let hyphened: ReadonlySet<Name> | undefined;
      for (const path of site.paths) {
        if (isVisible(subject, site, path, visible)) continue;
        hyphened ??= listHyphened(subject, site);
        if (hyphened.has(path.root)) continue;
        report(findingAt(site, path.root, describe(site, path, visible)));
      }
    }
  },
};

/** `unquoted-format` reports tokens of formats; `map`, `get` and others accept bare keys. */
function isVisible(
  subject: Subject,
  site: ExpressionSite,
  { root }: WrittenPath,
  visible: readonly string[],
): boolean {
  // `1.email` refers to a module of a scenario. `undefined` is used like a keyword. [app]
  if (root.form === 'module' || root.name === 'undefined' || visible.includes(root.name)) return true;
  if (/^(?:[YMDHhmsSXxQWaA]+)$/.test(root.name)) return true;
  // `platform-only` reports it.
  if (root.name === 'internal') return true;
  // In forms, a name can refer to a field. [inf]
  return site.location.phase === 'form' && subject.app.modules.size === 0;
}

/** Parts of names with hyphens, which `minus-in-path` reports. */
function listHyphened(subject: Subject, site: ExpressionSite): ReadonlySet<Name> {
  return new Set(listHyphenNames(subject, site).flatMap(({ rest }) => rest));
}

function describe({ location }: ExpressionSite, { root }: WrittenPath, visible: readonly string[]): string {
  const { name } = root;
  if (!Object.hasOwn(NAME_MEANINGS, name)) {
    return `"${name}" is not defined here.${didYouMean(name, visible)} An expression can start with ${listNames(visible)}.`;
  }
  const where = AVAILABLE[name];
  if (where === undefined) return `\`${name}\` is not available here.`;
  const isTooEarly = location.phase === 'request' && where === AFTER_RESPONSE;
  return `\`${name}\` is available only ${where}${isTooEarly ? ', and this expression is evaluated before the request' : ''}.`;
}

const AFTER_RESPONSE = 'after a response';

/** Where a variable is available. */
const AVAILABLE: Readonly<Record<string, string>> = {
  item: 'inside `iterate`',
  output: 'in `wrapper`',
  pagination: 'in a request with `pagination`',
  iterate: 'in `wrapper` and `pagination`',
  body: AFTER_RESPONSE,
  headers: AFTER_RESPONSE,
  statusCode: AFTER_RESPONSE,
  oauth: 'in OAuth connections',
  query: 'in webhooks and OAuth connections',
  payload: 'in instant triggers and responders',
  webhook: 'in webhooks, instant triggers, responders and RPCs',
  trigger: 'in polling triggers',
  method: 'in the communication of a webhook',
  rawBody: 'in the communication of a webhook',
};

function listNames(names: readonly string[]): string {
  return names.filter((name) => !RARE.has(name)).join(', ');
}

const RARE: ReadonlySet<string> = new Set(['random', 'uuid', 'pi', 'timestamp', 'executionId', 'rawBody']);

const minusInPath: Rule = {
  id: 'minus-in-path',
  area: 'app',
  level: 'error',
  summary: 'A hyphen in a path is a minus.',
  why: '`headers.retry-after` subtracts `after` from `headers.retry`. Write such a name in backticks.',
  bad: '"delay": "{{headers.retry-after}}"',
  good: '"delay": "{{headers.`retry-after`}}"',
  canFix: true,
  check: (subject, report) => {
    for (const site of subject.expressions) {
      for (const hyphened of listHyphenNames(subject, site)) {
        const name = [hyphened.first, ...hyphened.rest.map((one) => one.name)].join('-');
        const text = `\`${name}\``;
        const message = `A hyphen is a minus here; the member has to be in backticks: ${text}.`;
        report(replacementAt(site, hyphened, { message, title: `Put ${name} in backticks`, text }));
      }
    }
  },
};

/** A name with hyphens that parses as a subtraction: `headers.retry-after`. */
interface HyphenName {
  /** Offset of its first part, the last name of the left path. */
  readonly start: number;
  readonly end: number;
  readonly first: string;
  /** The parts that parse as separate names. */
  readonly rest: readonly Name[];
}

/** Names with hyphens in a text, except subtractions of known names. */
function listHyphenNames(subject: Subject, site: ExpressionSite): readonly HyphenName[] {
  const found: HyphenName[] = [];
  const inner = new Set<Expression>();
  for (const node of site.nodes) {
    const name = node.kind === 'binary' && !inner.has(node) ? readHyphenName(node) : undefined;
    if (name === undefined) continue;
    const visible = listVisibleNames(subject.app, site.in, site.location);
    if (name.rest.some((one) => visible.includes(one.name))) continue;
    for (let left: Expression = node; left.kind === 'binary'; left = left.left) inner.add(left);
    found.push(name);
  }
  return found;
}

/** `path.a-b-c` without a space; undefined for anything else. */
function readHyphenName(node: Binary): HyphenName | undefined {
  const rest: Name[] = [];
  let left: Expression = node;
  while (left.kind === 'binary') {
    const { right } = left;
    if (left.operator !== '-' || right.kind !== 'name' || right.form !== 'plain') return undefined;
    if (right.start !== left.left.end + 1) return undefined;
    rest.unshift(right);
    left = left.left;
  }
  if (left.kind !== 'member') return undefined;
  return { start: left.end - left.name.length, end: node.end, first: left.name, rest };
}

const FIRST_MEMBERS: Rule = createMemberRule({
  id: 'undeclared-parameter',
  area: 'forms',
  level: 'warning',
  summary: 'An expression reads a parameter that the form does not declare.',
  why: 'Users cannot enter the parameter, so it is undefined. Fields below options, nested fields and arguments of `rpc://` addresses are declared too. If an RPC returns the fields, the rule reports nothing. Members of a collection are compared with its `spec`.',
  bad: '"url": "/users/{{parameters.userID}}"',
  good: '"url": "/users/{{parameters.userId}}"',
  roots: ['parameters'],
  declared: (subject, { in: checked }) => declaredParameters(subject, checked),
  message: (name) => `No field declares the parameter "${name}".`,
});

const undeclaredParameter: Rule = {
  ...FIRST_MEMBERS,
  check: (subject, report) => {
    FIRST_MEMBERS.check(subject, report);
    for (const site of subject.expressions) {
      for (const { root, members } of site.paths) {
        if (root.name !== 'parameters' || members.length < 2) continue;
        const unknown = findUnknownMember(listElements(subject, site.in), members);
        if (unknown === undefined) continue;
        const { member, names, field } = unknown;
        const { name = '', node } = member;
        const message = `The spec of "${field}" has no "${name}".${didYouMean(name, names)}`;
        report(findingAt(site, { start: node.end - name.length, end: node.end }, message));
      }
    }
  },
};

/** The form of `parameters` in a document. */
function listElements({ app }: Subject, { owner }: CheckedDocument): readonly ParameterElement[] {
  const { kind, name = '' } = owner ?? {};
  const module = kind === 'module' ? app.modules.get(name) : undefined;
  const connection = kind === 'connection' ? app.connections.get(name) : undefined;
  const webhook = kind === 'webhook' ? app.webhooks.get(name) : undefined;
  return [module?.staticParams, module?.mappableParams, connection?.params, webhook?.params].flatMap(
    (form) => readableForm(form).elements,
  );
}

interface UnknownMember {
  readonly member: PathMember;
  readonly field: string;
  readonly names: readonly string[];
}

/** The first member of a path that is missing in the `spec` of its collection or list. */
function findUnknownMember(
  elements: readonly ParameterElement[],
  members: readonly PathMember[],
): UnknownMember | undefined {
  let fields = collectFields(elements);
  let field = '';
  for (const member of members) {
    // Indexes.
    if (member.name === undefined) continue;
    if (fields === undefined || member.node.kind !== 'member') return undefined;
    const named = fields.filter(({ name }) => name === member.name);
    const [found, second] = named;
    // The check above handles the first member: a list in a form has no name.
    if (found === undefined && field === '') return undefined;
    if (found === undefined) {
      const names = fields.flatMap(({ name }) => name ?? []);
      return { member, field, names };
    }
    if (second !== undefined || !NESTING.has(found.type)) return undefined;
    fields = found.spec?.kind === 'fields' ? collectFields(found.spec.fields) : undefined;
    field = found.name ?? '';
  }
  return undefined;
}

const NESTING: ReadonlySet<string> = new Set(['collection', 'array']);

/** Fields and nested fields; undefined if an RPC returns some. */
function collectFields(elements: readonly ParameterElement[]): readonly ParameterSpec[] | undefined {
  const level = listLevel(elements);
  return level.every((element): element is ParameterSpec => element.kind === 'parameter') ? level : undefined;
}

const unknownScope: Rule = {
  id: 'unknown-scope',
  area: 'connections',
  level: 'warning',
  summary: 'A component requires a scope that the scope list of the connection does not contain.',
  why: 'The consent page shows a scope without a description. The name is probably misspelt, and the API then refuses it.',
  bad: 'scopes: { "users:read": "Read users" }; scope: ["user:read"]',
  good: 'scopes: { "users:read": "Read users" }; scope: ["users:read"]',
  check: (subject, report) => {
    for (const checked of subject.documents) {
      const { part, document } = checked;
      if (!SCOPE_PARTS.has(part) || !Array.isArray(document.value)) continue;
      const known = listScopes(subject, checked);
      if (known === undefined) continue;
      document.value.forEach((scope: unknown, index) => {
        if (typeof scope !== 'string' || known.has(scope)) return;
        const message = `The connection's list of scopes has no "${scope}".${didYouMean(scope, known)}`;
        report({ message, place: document.locationOf(childPointer('', index)) });
      });
    }
  },
};

const SCOPE_PARTS: ReadonlySet<string> = new Set(['scope', 'requiredScope', 'defaultScope']);

/** Scopes of the connections of a component; undefined if one has no list. */
function listScopes({ app }: Subject, { owner }: CheckedDocument): ReadonlySet<string> | undefined {
  const names = owner?.kind === 'connection' ? [owner.name] : (owner?.connections ?? []);
  const lists = names.map((name) => app.connections.get(name)?.scopeList?.value);
  if (lists.length === 0 || !lists.every((list) => isPlainObject(list) && Object.keys(list).length > 0))
    return undefined;
  return new Set(lists.flatMap((list) => Object.keys(list as object)));
}

export const NAME_RULES: readonly Rule[] = [unknownName, minusInPath, undeclaredParameter, unknownScope];
