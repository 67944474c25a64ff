import type { FunctionComponent } from '../../../../engine/document/app.js';
import { positionAt, type SourceLocation } from '../../../../shared/errors/source-location.js';
import { ADVICE, official, type Rule } from '../../rule.js';
import { type CodeToken, listTokens } from '../../subject/code-tokens.js';
import type { Subject } from '../../subject/subject.js';

export const FUNCTION_REVIEW: readonly Rule[] = [
  {
    id: 'function-tests',
    area: 'functions',
    level: 'error',
    summary: 'A custom function has no test.',
    why: 'The review asks for a test of each function, with usual, empty and missing values.',
    bad: 'a function without a test file',
    good: "it('joins names', () => assert.strictEqual(full({ first: 'Ann' }), 'Ann'))",
    review: official('best-practices'),
    check: (subject, report) => {
      for (const { component, placeAt } of listCode(subject)) {
        if (/\bit\s*\(/.test(component.test ?? '')) continue;
        report({ message: `The function "${component.name}" has no test.`, place: placeAt(0) });
      }
    },
  },
  {
    id: 'no-eval',
    area: 'functions',
    level: 'error',
    summary: 'A custom function runs text as code.',
    why: 'Text from outside could then run anything. The sandbox of the platform refuses it.',
    bad: 'return eval(text);',
    good: 'return JSON.parse(text);',
    review: ADVICE,
    check: (subject, report) => {
      for (const { tokens, placeAt } of listCode(subject)) {
        tokens.forEach(({ offset }, index) => {
          const isMember = tokens[index - 1]?.value === '.';
          const isEval = startsWith(tokens, index, 'eval', '(') && !isMember;
          if (isEval || startsWith(tokens, index, 'new', 'Function')) {
            report({ message: 'Do not run text as code.', place: placeAt(offset) });
          }
        });
      }
    },
  },
  {
    id: 'bounded-loops',
    area: 'functions',
    level: 'warning',
    summary: 'A loop of a custom function has no condition that ends it.',
    why: 'A function has ten seconds. A loop that never ends stops the scenario.',
    bad: 'while (true) { next(); }',
    good: 'for (const item of items) { next(item); }',
    review: ADVICE,
    check: (subject, report) => {
      for (const { tokens, placeAt } of listCode(subject)) {
        tokens.forEach(({ offset }, index) => {
          const isEndless =
            startsWith(tokens, index, 'while', '(', 'true', ')') ||
            startsWith(tokens, index, 'while', '(', '1', ')') ||
            startsWith(tokens, index, 'for', '(', ';', ';');
          if (isEndless)
            report({ message: 'The loop has no condition that ends it.', place: placeAt(offset) });
        });
      }
    },
  },
  {
    id: 'parse-in-try',
    area: 'functions',
    level: 'info',
    summary: 'A custom function parses JSON without `try`.',
    why: 'Text that is not JSON stops the scenario with a message users do not understand.',
    bad: 'return JSON.parse(text);',
    good: 'try { return JSON.parse(text); } catch { return undefined; }',
    review: ADVICE,
    check: (subject, report) => {
      for (const { tokens, placeAt } of listCode(subject)) {
        // Depths at which a block of `try` is open.
        const open: number[] = [];
        let depth = 0;
        tokens.forEach(({ value, offset }, index) => {
          if (value === '{') {
            depth++;
            if (tokens[index - 1]?.value === 'try') open.push(depth);
          } else if (value === '}') {
            if (open.at(-1) === depth) open.pop();
            depth--;
          } else if (startsWith(tokens, index, 'JSON', '.', 'parse') && open.length === 0) {
            report({ message: 'Text that is not JSON makes the function fail.', place: placeAt(offset) });
          }
        });
      }
    },
  },
  {
    id: 'function-size',
    area: 'functions',
    level: 'info',
    summary: 'A custom function has more than 80 lines of code.',
    why: 'Smaller functions have tests that show what each does.',
    bad: 'a function of 120 lines',
    good: 'three functions that call each other: iml.normalize(value)',
    review: ADVICE,
    check: (subject, report) => {
      for (const { component, code, tokens, placeAt } of listCode(subject)) {
        const lines = new Set(tokens.map(({ offset }) => positionAt(code, offset).line)).size;
        if (lines <= MAX_LINES) continue;
        report({
          message: `The function "${component.name}" has ${lines} lines of code.`,
          place: placeAt(0),
        });
      }
    },
  },
];

interface Code {
  readonly component: FunctionComponent;
  readonly code: string;
  readonly tokens: readonly CodeToken[];
  readonly placeAt: (offset: number) => SourceLocation;
}

function listCode({ app, part }: Subject): readonly Code[] {
  return [...app.functions.values()].flatMap((component) => {
    const { code, file, name } = component;
    if (code === undefined || part?.has('function', name) === false) return [];
    const placeAt = (offset: number): SourceLocation =>
      file === undefined ? { pointer: `/functions/${name}/code` } : { file, ...positionAt(code, offset) };
    return [{ component, code, tokens: listTokens(code), placeAt }];
  });
}

/** Whether the tokens from an index are these values. */
function startsWith(tokens: readonly CodeToken[], index: number, ...values: readonly string[]): boolean {
  return values.every((value, at) => tokens[index + at]?.value === value);
}

/** Lines with code from which a function is hard to read. */
const MAX_LINES = 80;
