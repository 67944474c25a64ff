import { expect, it } from 'vitest';
import { findingLine } from '../../src/tools/cli/output/print-findings.js';

it('indents a message of several lines below its location', () => {
  const finding = {
    rule: 'cannot-load',
    level: 'error',
    message: 'It is one file.\nExpected is\n  a/api.imljson\n::error::x\u001b[2J',
    place: { file: 'a.imljson', line: 1, column: 1 },
  } as const;
  expect(findingLine(finding, (file) => `app/${file}`)).toBe(
    [
      'app/a.imljson:1:1: error: It is one file. [cannot-load]',
      '  | Expected is',
      '  |   a/api.imljson',
      '  | ::error::x\\u001b[2J',
      '',
    ].join('\n'),
  );
});
