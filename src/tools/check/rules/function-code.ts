import type { App } from '../../../engine/document/app.js';
import type { WarningCode } from '../../../engine/document/document.js';
import { nameFile } from '../../../engine/sandbox/check-functions.js';
import { childPointer, type SourceLocation } from '../../../shared/errors/source-location.js';
import type { Rule } from '../rule.js';
import { type CodeToken, listTokens } from '../subject/code-tokens.js';

/** Errors of compiling custom functions in the sandbox. */
const functionCode: Rule = {
  id: 'function-code',
  area: 'functions',
  level: 'error',
  summary:
    'The code of a custom function is missing, does not compile in the sandbox, does not declare a function of its name, uses a global that the sandbox lacks, or cannot return a value.',
  why: 'Each expression that calls the function ends the run with an error, or is always undefined. Custom functions are synchronous. They have the objects of JavaScript except `Intl`, `Buffer`, `console`, `iml` and `debug`, but no modules, timers, network or other globals of Node.js and browsers.',
  bad: 'functions/total/code.js: const sum = 1',
  good: 'functions/total/code.js: function total(items) { return items.length }',
  check: ({ app, part, functionWarnings }, report) => {
    for (const { name, code } of app.functions.values()) {
      if (code !== undefined || part?.has('function', name) === false) continue;
      const message = `The function "${name}" has no code. A run that calls it fails.`;
      report({ message, place: findDeclaration(app, name) });
    }
    for (const { code, message, place } of functionWarnings) {
      const asLoaded = LOADED_CODES[code];
      // Errors found by loading have their own rule.
      const isTold = app.warnings.some((told) => told.code === asLoaded && told.place.file === place.file);
      if (!isTold) report({ message, place });
    }
    for (const one of app.functions.values()) {
      const { name, code = '', file } = one;
      const isParsed = !app.warnings.some(
        (told) => told.code === 'syntax' && told.place.file === nameFile(one),
      );
      if (part?.has('function', name) === false || !isParsed) continue;
      for (const { message, offset } of findFaults(name, code)) {
        const before = code.slice(0, offset).split(/\r\n|\r|\n/);
        report({ message, place: { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 } });
      }
    }
  },
};

/** Globals of Node.js and browsers that custom functions lack. Source: the page on IML functions. [doc] */
const MISSING_GLOBALS: ReadonlySet<string> = new Set([
  ...['require', 'process', 'global', 'window', 'axios', 'crypto', 'structuredClone', 'performance'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'queueMicrotask'],
  ...['fetch', 'Headers', 'Request', 'Response', 'FormData', 'Blob', 'AbortController', 'AbortSignal'],
  ...['XMLHttpRequest', 'WebSocket', 'URL', 'URLSearchParams'],
  ...['TextEncoder', 'TextDecoder', 'atob', 'btoa', 'WebAssembly', 'Atomics'],
]);

interface CodeFault {
  readonly message: string;
  readonly offset: number;
}

/** Mistakes that make each call fail or return undefined, if the call reaches them. */
function findFaults(name: string, code: string): readonly CodeFault[] {
  const tokens = listTokens(code);
  const faults: CodeFault[] = [];
  const head = tokens.findIndex(({ value }, at) => value === 'function' && tokens[at + 1]?.value === name);
  if (tokens[head - 1]?.value === 'async') {
    const message = `The function "${name}" is async. Custom functions return their value, not a promise.`;
    faults.push({ message, offset: tokens[head - 1]?.offset ?? 0 });
  } else if (head >= 0 && !tokens.some(({ type, value }) => type === 'name' && RESULTS.has(value))) {
    const message = `The function "${name}" has no return, so each call is undefined.`;
    faults.push({ message, offset: tokens[head]?.offset ?? 0 });
  }
  const reported = new Set<string>();
  for (const [at, { value, offset }] of tokens.entries()) {
    // QuickJS has no Intl. On the platform it is one of the objects of JavaScript. [inf]
    const isIntl = value === 'Intl';
    if (!(isIntl || MISSING_GLOBALS.has(value)) || reported.has(value) || !isUsed(tokens, at)) continue;
    if (declares(tokens, value)) continue;
    reported.add(value);
    const what = isIntl ? 'Custom functions have no Intl here' : `Custom functions have no ${value}`;
    faults.push({ message: `${what}, so each call that reaches it fails.`, offset });
  }
  return faults;
}

/** A function that only throws validates its arguments. */
const RESULTS: ReadonlySet<string> = new Set(['return', 'throw']);

/** Whether a name is called, constructed or read, and is not a member or a key. */
function isUsed(tokens: readonly CodeToken[], at: number): boolean {
  const before = tokens[at - 1]?.value;
  const after = tokens[at + 1]?.value;
  return before !== '.' && before !== '?.' && (after === '(' || after === '.' || before === 'new');
}

/** Whether code declares or assigns a name anywhere, as a parameter or in a pattern too, or tests whether it exists. */
function declares(tokens: readonly CodeToken[], name: string): boolean {
  return tokens.some(({ value }, at) => {
    if (value !== name) return false;
    const before = tokens[at - 1]?.value ?? '';
    const after = tokens[at + 1]?.value ?? '';
    if (before === '.' || before === '?.') return false;
    return (
      DECLARING.has(before) || after === '=' || after === '=>' || (OPENS.has(before) && CLOSES.has(after))
    );
  });
}

const DECLARING: ReadonlySet<string> = new Set(['function', 'const', 'let', 'var', 'class', 'typeof']);
const OPENS: ReadonlySet<string> = new Set(['(', ',', '{', '[', ':', '...']);
const CLOSES: ReadonlySet<string> = new Set([')', ',', '}', ']']);

/** Location of the missing code in the manifest. */
function findDeclaration({ warnings }: App, name: string): SourceLocation {
  const pointer = `${childPointer('/components/function', name)}/codeFiles/code`;
  return warnings.find(({ place }) => place.pointer === pointer)?.place ?? {};
}

/** Loading codes by sandbox codes. */
const LOADED_CODES: Readonly<Record<string, WarningCode>> = {
  syntax: 'syntax',
  'code-too-long': 'long-function',
  'function-replaced': 'builtin-name',
};

const functionComment: Rule = {
  id: 'function-comment',
  area: 'functions',
  level: 'warning',
  summary: 'The code of a custom function starts with a comment.',
  why: 'The platform reads the text up to the first bracket as the head of the function. With a comment there, it reports a syntax error.',
  bad: '// Adds up.\nfunction total(items) { return items.length }',
  good: 'function total(items) {\n  // Adds up.\n  return items.length;\n}',
  check: ({ app }, report) => {
    for (const { name, code, file } of app.functions.values()) {
      if (code === undefined || !/^\uFEFF?\s*\/[/*]/.test(code)) continue;
      report({
        message: `The code of "${name}" starts with a comment; move it inside of the function.`,
        place: { file, line: 1, column: 1 },
      });
    }
  },
};

export const FUNCTION_CODE_RULES: readonly Rule[] = [functionCode, functionComment];
