import type { Name } from '../../../iml/syntax/ast.js';
import type { WrittenPath } from '../../../iml/syntax/walk-expression.js';
import { didYouMean } from '../../../util/suggest.js';
import type { Rule } from '../../rule.js';
import type { ExpressionSite } from '../../subject/expression-site.js';
import { listHyphenNames } from '../../subject/hyphens.js';
import { findingAt } from '../../subject/site-finding.js';
import type { Subject } from '../../subject/subject.js';
import { listVisibleNames, NAME_MEANINGS } from '../../subject/visible-names.js';

export const unknownName: Rule = {
  id: 'unknown-name',
  level: 'error',
  summary: 'An expression starts with a name that is not there at this place.',
  why: 'It is undefined, whatever the run: `item` outside of `iterate`, `oauth` outside of an OAuth connection, `body` before a response, or a name that nothing gives.',
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
    return `There is no "${name}" here.${didYouMean(name, visible)} An expression may start with ${listNames(visible)}.`;
  }
  const reason = REASONS[name] ?? 'is not there at this place';
  return `"${name}" ${reason}${location.phase === 'request' && AFTER_RESPONSE.has(name) ? ', and this is evaluated before it' : ''}.`;
}

const AFTER_RESPONSE: ReadonlySet<string> = new Set(['body', 'headers', 'statusCode']);

const REASONS: Readonly<Record<string, string>> = {
  item: 'is there inside of iterate only',
  output: 'is there in wrapper only',
  pagination: 'is there where pages are asked for',
  iterate: 'is there after iterate, in wrapper and pagination',
  body: 'is there after a response',
  headers: 'is there after a response',
  statusCode: 'is there after a response',
  oauth: 'is there in OAuth connections only',
  query: 'is there in webhooks and OAuth connections only',
  payload: 'is there in instant triggers and responders only',
  webhook: 'is there in webhooks, instant triggers and their RPCs only',
  trigger: 'is there in polling triggers only',
  method: 'is there in the specification of a webhook only',
};

function listNames(names: readonly string[]): string {
  return names.filter((name) => !RARE.has(name)).join(', ');
}

const RARE: ReadonlySet<string> = new Set(['random', 'uuid', 'pi', 'timestamp', 'executionId', 'rawBody']);
