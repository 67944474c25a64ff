import { evaluate } from '../../../language/compile.js';
import type { Binary, Expression } from '../../../language/syntax/ast.js';
import { listNodes, readPath } from '../../../language/syntax/walk-expression.js';
import { isTruthy } from '../../../language/values/value.js';
import type { Rule } from '../rule.js';
import { type ExpressionSite, findingAt } from '../subject/expression-site.js';
import type { Subject } from '../subject/subject.js';
import { kindOf, type ValueKind } from '../subject/value-kinds.js';

export const EXPRESSION_RULES: readonly Rule[] = [
  {
    id: 'semantics-dependent',
    area: 'app',
    level: 'info',
    summary: 'The result of an expression may depend on the setting `semantics`.',
    why: "The documentation of Make says that `5 = '5'` is false and that `split` keeps each part as it is. Reports about its runtime say that `=` compares loosely, and that `split` trims parts and drops empty ones. The default is `semantics: 'runtime'`. An expression with the same result under both is safe.",
    bad: '"condition": "{{statusCode = \'404\'}}"',
    good: '"condition": "{{statusCode = 404}}"',
    check: (subject, report) => {
      for (const site of subject.expressions) {
        for (const comparison of listComparisons(subject, site)) {
          if (!isDependent(comparison)) continue;
          const {
            node,
            constantKind,
            otherKind = `${otherKindsOf(comparison)}, if the path gives one,`,
          } = comparison;
          const message = `Whether a ${otherKind} equals this ${constantKind} depends on semantics.`;
          report(findingAt(site, node, message));
        }
        for (const node of site.nodes) {
          // With a third argument empty parts stay; only trimming differs.
          if (node.kind !== 'call' || node.name !== 'split' || subject.app.functions.has('split')) continue;
          const [, separator] = node.args;
          if (separator?.kind === 'literal' && separator.value === '') continue;
          const message = 'Whether split trims parts and drops empty ones depends on semantics.';
          report(findingAt(site, { start: node.start, end: node.start + node.name.length }, message));
        }
      }
    },
  },
  {
    id: 'type-comparison',
    area: 'app',
    level: 'warning',
    summary: 'An expression compares values of two types that are never equal.',
    why: 'A number never equals a text that is not a number: `statusCode = "ok"` is false for every response. `statusCode` and number fields are numbers; headers and text fields are texts.',
    bad: '"condition": "{{statusCode = \'ok\'}}"',
    good: '"condition": "{{statusCode = 200}}"',
    check: (subject, report) => {
      for (const site of subject.expressions) {
        for (const comparison of listComparisons(subject, site)) {
          const { node, constantKind, otherKind } = comparison;
          // `semantics-dependent` reports values that may be equal.
          if (otherKind === undefined || otherKind === constantKind || canEqualOtherKind(comparison))
            continue;
          const outcome = node.operator === '=' ? 'false' : 'true';
          const message = `A ${otherKind} never equals this ${constantKind}, so the comparison is always ${outcome}.`;
          report(findingAt(site, node, message));
        }
      }
    },
  },
  {
    id: 'dead-branch',
    area: 'app',
    level: 'warning',
    summary: 'A branch of `if`, `&` or `|` never runs, because its condition is a constant.',
    why: "The condition was probably meant to read a value: `if('parameters.all'; ...)` tests a text, which is always truthy.",
    bad: "\"url\": \"{{if('parameters.all'; '/all'; '/mine')}}\"",
    good: '"url": "{{if(parameters.all; \'/all\'; \'/mine\')}}"',
    check: (subject, report) => {
      for (const site of subject.expressions) {
        for (const node of site.nodes) {
          const condition = findCondition(node, subject.app.functions.has('if'));
          if (condition === undefined || !isConstant(condition)) continue;
          const outcome = site.parsed.ok && isAlways(site.parsed.template.source, condition);
          report(findingAt(site, condition, `This condition is always ${outcome ? 'true' : 'false'}.`));
        }
      }
    },
  },
  {
    id: 'list-literal',
    area: 'app',
    level: 'error',
    summary: 'An expression contains a list in brackets.',
    why: "IML has no list literals: `['a', 'b']` evaluates to null, also as an argument. Use `split`, `add(emptyarray; ...)` or a JSON list outside the expression.",
    bad: '"ids": "{{[\'a\', \'b\']}}"',
    good: '"ids": "{{split(\'a,b\', \',\')}}"',
    check: (subject, report) => {
      for (const site of subject.expressions) {
        for (const node of site.nodes) {
          if (node.kind !== 'list') continue;
          report(
            findingAt(site, node, 'A list in brackets evaluates to null: expressions cannot write lists.'),
          );
        }
      }
    },
  },
  {
    id: 'zero-index',
    area: 'app',
    level: 'error',
    summary: 'A path reads item 0.',
    why: 'Paths count items of an array from 1, so item 0 is undefined. `slice`, `substring` and `indexOf` count from 0.',
    bad: '"id": "{{body.items[0].id}}"',
    good: '"id": "{{body.items[1].id}}"',
    check: (subject, report) => {
      for (const site of subject.expressions) {
        for (const node of site.nodes) {
          const isIndex = node.kind === 'index' && node.index?.kind === 'literal' && node.index.value === 0;
          const isSegment = node.kind === 'member' && node.name === '0';
          if (!isIndex && !isSegment) continue;
          const at = { start: node.object.end, end: node.end };
          report(findingAt(site, at, 'Items count from 1, so there is no item 0.'));
        }
      }
    },
  },
  {
    id: 'path-after-call',
    area: 'app',
    level: 'info',
    summary: 'A path follows the call of a function.',
    why: 'This engine evaluates the path. Users report that Make ignores it: `first(body.items).id` is then the whole item. `get` works in both.',
    bad: '"id": "{{first(body.items).id}}"',
    good: '"id": "{{get(first(body.items); \'id\')}}"',
    check: (subject, report) => {
      for (const site of subject.expressions) {
        for (const node of site.nodes) {
          if ((node.kind !== 'member' && node.kind !== 'index') || node.object.kind !== 'call') continue;
          const at = { start: node.object.end, end: node.end };
          const { name } = node.object;
          report(findingAt(site, at, `Make may ignore the path after the call of ${name}. Use get.`));
        }
      }
    },
  },
  {
    id: 'length-member',
    area: 'app',
    level: 'warning',
    summary: 'An expression compares a member `length`, or one of a list.',
    why: 'Lists and texts have no member `length` in IML, so it is undefined and a comparison with a number is false. Use the function `length`.',
    bad: '"condition": "{{body.items.length > 0}}"',
    good: '"condition": "{{length(body.items) > 0}}"',
    check: (subject, report) => {
      const lists = new Set(subject.expressions.filter(isContainer).map(({ text }) => stripBraces(text)));
      for (const site of subject.expressions) {
        const source = site.parsed.ok ? site.parsed.template.source : '';
        const compared = new Set(site.nodes.flatMap(listCompared));
        for (const node of site.nodes) {
          if (node.kind !== 'member' || node.name !== 'length' || readPath(node) === undefined) continue;
          const path = source.slice(node.object.start, node.object.end);
          if (!compared.has(node) && !lists.has(path)) continue;
          const at = { start: node.object.end, end: node.end };
          report(findingAt(site, at, `There is no member "length". Write length(${path}).`));
        }
      }
    },
  },
  {
    id: 'seconds-as-date',
    area: 'connections',
    level: 'warning',
    summary: 'The expiration date of a connection is a number of seconds.',
    why: '`expires` is a date. Seconds such as `expires_in` count from the response, so they are a date in 1970 and the token is refreshed before each run.',
    bad: '"data": { "expires": "{{body.expires_in}}" }',
    good: '"data": { "expires": "{{addSeconds(now; body.expires_in)}}" }',
    check: (subject, report) => {
      for (const site of subject.expressions) {
        const { location, in: checked } = site;
        if (checked.owner?.kind !== 'connection' || location.directive.at(-1) !== 'expires') continue;
        const [only, ...more] = site.parsed.ok ? site.parsed.template.parts : [];
        if (typeof only !== 'object' || more.length > 0) continue;
        const name = readPath(only)?.members.at(-1)?.name;
        if (name === undefined || !/^expires?_?in$/i.test(name)) continue;
        const written = site.text.replace(/^\{\{\s*|\s*\}\}$/g, '');
        report(findingAt(site, only, `This counts seconds. Write {{addSeconds(now; ${written})}}.`));
      }
    },
  },
  {
    id: 'scope-list',
    area: 'connections',
    level: 'warning',
    summary: 'The query of an authorization contains the list of scopes.',
    why: '`oauth.scope` is a list, and a list in a query repeats its name: `scope=a&scope=b`. OAuth requires one text with spaces.',
    bad: '"qs": { "scope": "{{oauth.scope}}" }',
    good: '"qs": { "scope": "{{join(oauth.scope; \' \')}}" }',
    check: (subject, report) => {
      for (const site of subject.expressions) {
        if (!site.location.directive.includes('qs')) continue;
        const [only, ...more] = site.parsed.ok ? site.parsed.template.parts : [];
        if (typeof only !== 'object' || more.length > 0) continue;
        const path = readPath(only);
        if (path?.root.name !== 'oauth' || path.members.length !== 1 || path.members[0]?.name !== 'scope')
          continue;
        report(findingAt(site, only, "oauth.scope is a list. Write {{join(oauth.scope; ' ')}}."));
      }
    },
  },
];

/** A number or boolean compared with another type, or text that reads as a number. */
function isDependent(comparison: Comparison): boolean {
  return comparison.otherKind !== comparison.constantKind && canEqualOtherKind(comparison);
}

function otherKindsOf({ constantKind }: Comparison): string {
  return ['text', 'number', 'boolean'].filter((kind) => kind !== constantKind).join(' or ');
}

/** A comparison by `=` or `!=` with a constant. */
interface Comparison {
  readonly node: Binary;
  readonly constant: string | number | boolean;
  readonly constantKind: ComparedKind;
  /** Kind of the other side; undefined if unknown. */
  readonly otherKind: ComparedKind | undefined;
}

/** Kinds that constants have. */
type ComparedKind = 'text' | 'number' | 'boolean';

function isCompared(kind: ValueKind | undefined): kind is ComparedKind {
  return kind === 'text' || kind === 'number' || kind === 'boolean';
}

/** Comparisons of a path with a constant. */
function listComparisons(subject: Subject, site: ExpressionSite): readonly Comparison[] {
  return site.nodes.flatMap((node): Comparison[] => {
    if (node.kind !== 'binary' || (node.operator !== '=' && node.operator !== '!=')) return [];
    const left = readConstant(node.left);
    const right = readConstant(node.right);
    const constant = left ?? right;
    const other = left === undefined ? node.left : node.right;
    if (constant === undefined || readPath(other) === undefined) return [];
    const constantKind = kindOfConstant(constant);
    const kind = kindOf(subject, site, other);
    return [{ node, constant, constantKind, otherKind: isCompared(kind) ? kind : undefined }];
  });
}

function readConstant(expression: Expression): string | number | boolean | undefined {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind !== 'keyword') return undefined;
  return expression.name === 'true' ? true : expression.name === 'false' ? false : undefined;
}

function kindOfConstant(constant: string | number | boolean): ComparedKind {
  return typeof constant === 'string' ? 'text' : typeof constant === 'number' ? 'number' : 'boolean';
}

/**
 * Whether a constant can equal a value of another type under loose equality: only text that reads as a number can.
 */
function canEqualOtherKind({ constant }: Comparison): boolean {
  return typeof constant !== 'string' || !Number.isNaN(Number(constant));
}

function findCondition(node: Expression, isOwnIf: boolean): Expression | undefined {
  if (node.kind === 'binary' && (node.operator === '&' || node.operator === '|')) return node.left;
  return node.kind === 'call' && node.name === 'if' && !isOwnIf ? node.args[0] : undefined;
}

function isConstant(expression: Expression): boolean {
  return listNodes(expression).every(({ kind }) => kind !== 'name' && kind !== 'call');
}

function isAlways(source: string, { start, end }: Expression): boolean {
  return isTruthy(evaluate(`{{${source.slice(start, end)}}}`, {}));
}

function isContainer({ location: { directive } }: ExpressionSite): boolean {
  return directive.at(-1) === 'iterate' || directive.at(-2) === 'iterate';
}

function stripBraces(text: string): string {
  return text.replace(/^\s*\{\{\s*|\s*\}\}\s*$/g, '').trim();
}

/** The sides of a comparison or calculation with a number. */
function listCompared(node: Expression): readonly Expression[] {
  if (node.kind !== 'binary' || node.operator === '&' || node.operator === '|') return [];
  const sides = [node.left, node.right];
  return sides.some((side) => side.kind === 'literal' && typeof side.value === 'number') ? sides : [];
}
