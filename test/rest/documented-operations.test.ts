import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/rest/operations.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/rest.md'), 'utf8');

/** The expected table row of an operation: `| GET | /ping | Answers. | none |`. */
function rowOf({
  method,
  path,
  summary,
  scopes,
  authentication,
  administrators,
}: (typeof OPERATIONS)[number]): string {
  const needs = [
    ...(authentication === 'none' ? ['no token'] : []),
    ...scopes.map((scope) => `\`${scope}\``),
    ...(administrators === true ? ['administrator'] : []),
  ];
  return `| ${method} | \`${path}\` | ${summary} | ${needs.join(', ')} |`;
}

describe('docs/rest.md', () => {
  it('lists every operation and no others', () => {
    const rows = PAGE.split('\n').filter((line) => /^\| (?:GET|POST|PUT|PATCH|DELETE) \|/.test(line));
    expect(rows).toEqual(OPERATIONS.map(rowOf));
  });
});
