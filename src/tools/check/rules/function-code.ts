import type { App } from '../../../engine/document/app.js';
import type { WarningCode } from '../../../engine/document/document.js';
import { childPointer, type SourceLocation } from '../../../shared/errors/source-location.js';
import type { Rule } from '../rule.js';

/** Errors of compiling custom functions in the sandbox. */
const functionCode: Rule = {
  id: 'function-code',
  level: 'error',
  summary:
    'The code of a custom function is missing, does not compile in the sandbox, or does not declare a function of its name.',
  why: 'Each expression that calls the function ends the run with an error.',
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
  },
};

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
