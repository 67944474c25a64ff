import { describe, expect, it } from 'vitest';
import { AppError, TransportError } from '../../src/index.js';
import { ImlError } from '../../src/language/index.js';
import { printError } from '../../src/tools/cli/output/print-error.js';

describe('printError', () => {
  it('prints the facts of an app error in a fixed order', () => {
    const cause = new TransportError('NETWORK_FAILED', 'refused', { retryable: true });
    const place = { file: 'a.iml.json', pointer: '/url', line: 2, column: 3 };
    const error = new AppError('ConnectionError', 'No connection.', {
      statusCode: 503,
      requestIndex: 1,
      page: 4,
      retryAfterMs: 1500,
      delay: 60_000,
      cause,
      place,
    });
    expect(printError(error, { showPath: (file) => `app/${file}`, frame: '2 | x\n  | ^' })).toBe(
      [
        'ConnectionError: No connection.',
        '  code         NETWORK_FAILED',
        '  status       503',
        '  request      2, page 4',
        '  retry-after  1.5 s, as requested by the server',
        '  delay        60 s until a scenario continues',
        '  at           app/a.iml.json:2:3',
        '  pointer      /url',
        '',
        '2 | x',
        '  | ^',
        '',
      ].join('\n'),
    );
  });

  it('lists the problems of several fields', () => {
    const suberrors = ['First.', 'Second.'];
    expect(printError(new AppError('BundleValidationError', 'Two are wrong.', { suberrors }))).toBe(
      'BundleValidationError: Two are wrong.\n  - First.\n  - Second.\n',
    );
  });

  it('prints the hint of an expression error, also as a cause', () => {
    const inner = new ImlError('IML_UNKNOWN_FUNCTION', 'Unknown.', { kind: 'unknown-function' });
    inner.hint = 'Did you mean "upper"?';
    expect(printError(new AppError('RuntimeError', 'Unknown.', { cause: inner }))).toBe(
      'RuntimeError: Unknown.\n  Did you mean "upper"?\n  code  IML_UNKNOWN_FUNCTION\n',
    );
  });

  it.each(['\n::error::x', 'a\n  ::add-mask::x', 'a\n##[group]x', 'a\n\n\t::stop-commands::x'])(
    'starts no line with a CI command: %j',
    (message) => {
      const suberrors = [message];
      const inner = new ImlError('IML_SYNTAX', message, { kind: 'syntax' });
      inner.hint = message;
      const errors = [
        new AppError('DataError', message, { suberrors, cause: inner }),
        inner,
        new Error(message),
      ];
      for (const error of [...errors, message]) {
        for (const showStack of [true, false]) {
          const text = printError(error, { showStack });
          expect(text).toContain('| ');
          expect(text).not.toMatch(/^\s*(?:::|##\[)/m);
        }
      }
    },
  );

  it('redacts and escapes all texts', () => {
    const place = { file: 'sk-1\u001b.json', line: 1, column: 1 };
    const error = new AppError('DataError', 'sk-1 \u001b[2J', { suberrors: ['sk-1'], place });
    const text = printError(error, { frame: 'sk-1', redact: (given) => given.replaceAll('sk-1', '***') });
    for (const hidden of ['sk-1', '\u001b']) expect(text).not.toContain(hidden);
    expect(text.match(/\*\*\*/g)).toHaveLength(4);
  });

  it('prints thrown values that are no errors', () => {
    expect(printError('oops')).toBe('Internal error: oops\n');
  });
});
