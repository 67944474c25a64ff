import type { Document } from '../../document/reading/document.js';
import { CaseError } from '../../errors/engine-error.js';
import { childPointer } from '../../errors/source-location.js';
import type { SchemaProblem } from '../../schema/schema-check.js';
import { isPlainObject, ownMember, type PlainObject } from '../../util/plain-object.js';
import { didYouMean } from '../../util/suggest.js';
import { matcherProblem } from '../matching/matchers.js';
import { checkCaseShape } from './check-case-shape.js';

/** All problems of the content of a case, with source locations. */
export function listCaseProblems(document: Document): readonly CaseError[] {
  const { value } = document;
  if (!isPlainObject(value)) return [problem(document, '', 'A case is an object.')];
  const matchers = listMatcherProblems(document, value);
  const shape = shapeProblems(document, checkCaseShape(value), matchers);
  const found = [...matchers.map(({ error }) => error), ...shape];
  return found.length > 0 ? found : listMissing(document, value);
}

function problem(
  document: Document,
  pointer: string,
  message: string,
  part: 'value' | 'key' = 'value',
): CaseError {
  return new CaseError(message, { place: document.locationOf(pointer, undefined, part) });
}

/** Members that a valid case still lacks. */
function listMissing(document: Document, value: PlainObject): readonly CaseError[] {
  const expected = ownMember(value, 'expect');
  const hasSubject = ['component', 'app'].some((name) => Object.hasOwn(value, name));
  const isScenario = ownMember(value, 'kind') === 'scenario';
  return [
    ...(hasSubject || isScenario
      ? []
      : [problem(document, '', 'The case names no component, such as "component": "module:listOrders".')]),
    ...(isPlainObject(expected) && Object.keys(expected).length === 0
      ? [problem(document, '/expect', 'The case expects nothing, so that it could not fail.')]
      : []),
  ];
}

interface PlacedProblem {
  readonly pointer: string;
  readonly error: CaseError;
}

/** Misspelled matchers in expectations of results and requests. */
function listMatcherProblems(document: Document, value: PlainObject): readonly PlacedProblem[] {
  const found: PlacedProblem[] = [];
  const visit = (inside: unknown, pointer: string): void => {
    if (Array.isArray(inside)) {
      for (const [index, item] of inside.entries()) visit(item, childPointer(pointer, index));
      return;
    }
    if (!isPlainObject(inside)) return;
    const wrong = matcherProblem(inside);
    if (wrong !== undefined) {
      const at = childPointer(pointer, wrong.name);
      found.push({ pointer, error: problem(document, at, wrong.message, 'key') });
      return;
    }
    for (const [name, member] of Object.entries(inside)) visit(member, childPointer(pointer, name));
  };
  visit(ownMember(value, 'expect'), '/expect');
  const exchanges = ownMember(value, 'exchanges');
  if (Array.isArray(exchanges)) {
    for (const [index, exchange] of exchanges.entries()) {
      if (isPlainObject(exchange)) visit(ownMember(exchange, 'request'), `/exchanges/${index}/request`);
    }
  }
  return found;
}

/** One problem per location; merges those of alternatives. */
function shapeProblems(
  document: Document,
  problems: readonly SchemaProblem[],
  matchers: readonly PlacedProblem[],
): readonly CaseError[] {
  const byPointer = new Map<string, SchemaProblem[]>();
  for (const found of problems) {
    const pointer = found.path.reduce<string>(childPointer, '');
    if (matchers.some((matcher) => isAtOrBelow(pointer, matcher.pointer))) continue;
    const key = found.unknown === undefined ? pointer : childPointer(pointer, found.unknown.name);
    byPointer.set(key, [...(byPointer.get(key) ?? []), found]);
  }
  return [...byPointer].flatMap(([pointer, found]) => {
    const [first] = found;
    if (first?.unknown !== undefined) {
      const { name, known } = first.unknown;
      const hint = didYouMean(name, known) || ` There are ${known.join(', ')}.`;
      return [problem(document, pointer, `Unknown member "${name}".${hint}`, 'key')];
    }
    if (first?.keyword === 'required') {
      const name = first.path.at(-1) ?? '';
      const where = first.path.slice(0, -1).join('.') || 'The case';
      return [problem(document, pointer, `${where} has no member "${name}", which it needs.`)];
    }
    // Lists what every alternative expects.
    const wants = [
      ...new Set(
        found.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if').map(({ message }) => message),
      ),
    ];
    if (wants.length === 0) return [];
    return [problem(document, pointer, `${first?.path.join('.') || 'The case'} ${wants.join(' or ')}.`)];
  });
}

function isAtOrBelow(pointer: string, parent: string): boolean {
  return pointer === parent || pointer.startsWith(`${parent}/`);
}
