import { findKeyShape, holdsTemplates } from '../../../engine/document/document-shapes.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import type { Rule } from '../rule.js';
import { type ExpressionSite, findingAt } from '../subject/expression-site.js';

export const BRACE_RULES: readonly Rule[] = [
  {
    id: 'single-braces',
    area: 'app',
    level: 'warning',
    summary: 'A text contains an expression in single braces.',
    why: 'Only double braces are evaluated. `{item.id}` is sent as text.',
    bad: '"url": "/users/{parameters.userId}"',
    good: '"url": "/users/{{parameters.userId}}"',
    canFix: true,
    check: ({ documents }, report) => {
      for (const { document, kind } of documents) {
        if (!holdsTemplates(kind)) continue;
        visitTexts(document.value, '', (text, pointer) => {
          for (const { 0: written, 1: path = '', index } of text.matchAll(SINGLE)) {
            const place = document.locationOf(pointer, index);
            const start = document.offsetOf?.(pointer, index);
            // The second closing brace can belong to text such as JSON.
            if (written.endsWith('}}') && text.indexOf('{') !== index) continue;
            const expression = `{{${path}}}`;
            const message = `${written} is plain text. Write ${expression} to have it evaluated.`;
            const { file } = place;
            const edits =
              file === undefined || start === undefined
                ? undefined
                : [{ file, start, end: start + written.length, text: expression }];
            const fix = edits && { title: `Replace ${written} by ${expression}`, edits };
            report({ message, place, length: written.length, fix });
          }
        });
      }
    },
  },
  {
    id: 'text-condition',
    area: 'app',
    level: 'error',
    summary: 'A condition is an expression with text around it.',
    why: 'The result is a text, which counts as true: `{{body.total}} > 5` is the text `3 > 5`. Operators belong inside of the braces.',
    bad: '"condition": "{{body.total}} > 5"',
    good: '"condition": "{{body.total > 5}}"',
    check: ({ expressions }, report) => {
      for (const site of expressions) {
        const outside = readOutside(site);
        if (outside === undefined || !isFlag(site)) continue;
        const message =
          'This is a text, which counts as true. Write the whole condition inside of the braces.';
        report(findingAt(site, outside, message));
      }
    },
  },
  {
    id: 'operator-outside',
    area: 'app',
    level: 'warning',
    summary: 'An operator and a number follow an expression, outside of the braces.',
    why: 'Text outside of the braces is not evaluated: `{{parameters.amount}} * 100` is the text `5 * 100`.',
    bad: '"amount": "{{parameters.amount}} * 100"',
    good: '"amount": "{{parameters.amount * 100}}"',
    check: ({ expressions }, report) => {
      for (const site of expressions) {
        if (site.location.phase === 'form' || !site.parsed.ok || isFlag(site)) continue;
        const [first, second, third, ...more] = site.parsed.template.parts;
        if (typeof first !== 'object' || typeof second !== 'string' || more.length > 0) continue;
        const isCalculation =
          third === undefined
            ? CALCULATION.test(second)
            : MULTIPLICATION.test(second) && typeof third === 'object';
        if (!isCalculation) continue;
        const outside = readOutside(site) ?? first;
        report(
          findingAt(site, outside, `"${second.trim()}" is text. Write the operator inside of the braces.`),
        );
      }
    },
  },
];

/** A path that starts with a known variable, with one opening brace. */
const SINGLE =
  /(?<!\{)\{((?:item|body|parameters|connection|common|temp|data|headers|payload|pagination|webhook|oauth|query)(?:\.[A-Za-z_]\w*)+)\}{1,2}(?!\})/g;

function visitTexts(value: unknown, pointer: string, visit: (text: string, pointer: string) => void): void {
  if (typeof value === 'string') visit(value, pointer);
  else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      visitTexts(item, childPointer(pointer, index), visit);
    });
  } else if (isPlainObject(value)) {
    for (const [key, member] of Object.entries(value)) visitTexts(member, childPointer(pointer, key), visit);
  }
}

/** The first text outside of the braces; undefined without one, and for a template without an expression. */
function readOutside({ parsed, expressions }: ExpressionSite): { start: number; end: number } | undefined {
  if (!parsed.ok || expressions.length === 0) return undefined;
  const { parts, source } = parsed.template;
  const index = parts.findIndex((part) => typeof part === 'string' && part !== '');
  const text = parts[index];
  if (typeof text !== 'string') return undefined;
  const next = parts[index + 1];
  const end = typeof next === 'object' ? source.lastIndexOf('{{', next.start) : source.length;
  return { start: end - text.length, end };
}

function isFlag({ in: { kind }, part, pointer }: ExpressionSite): boolean {
  if (part !== 'value') return false;
  const path = pointer.split('/').slice(1);
  return findKeyShape(kind, path)?.constant === 'boolean';
}

/** An operator between blanks and a number. Without blanks it is probably a part of a path or an ID. */
const CALCULATION = /^ ?[*%+] ?\d+(?:\.\d+)?$|^ [-/] \d+(?:\.\d+)?$/;
const MULTIPLICATION = /^ ?\* ?$/;
