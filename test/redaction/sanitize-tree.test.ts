import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/engine/redaction/redact.js';
import { joinPaths, NO_PATHS, readSanitize } from '../../src/engine/redaction/sanitize-paths.js';

describe('paths of log.sanitize', () => {
  it('are merged by prefix', () => {
    const { isEnd, below } = joinPaths([['a', 'b'], ['a', 'c'], ['d']]);
    expect(isEnd).toBe(false);
    expect([...below.keys()]).toEqual(['a', 'd']);
    expect([...(below.get('a')?.below.keys() ?? [])]).toEqual(['b', 'c']);
    expect(below.get('d')?.isEnd).toBe(true);
    expect(joinPaths([])).toEqual(NO_PATHS);
    expect(joinPaths([[]]).isEnd).toBe(true);
  });

  it('redact all named values, also if one path extends another', () => {
    const sanitize = [
      'response.body.a',
      'response.body.a.b',
      'response.body.list[].x.y',
      'response.body.c.d',
    ];
    const redactor = createRedactor({ secrets: [], sanitize });
    const body = { a: { b: 1 }, c: { d: 2, e: 3 }, list: [{ x: { y: 4, z: 5 } }, { x: 6 }], b: 7 };
    expect(redactor.response({ status: 200, headers: {}, body }).body).toEqual({
      a: '[SANITIZED]',
      c: { d: '[SANITIZED]', e: 3 },
      list: [{ x: { y: '[SANITIZED]', z: 5 } }, { x: 6 }],
      b: 7,
    });
  });

  it('deeper than the shown levels are ignored', () => {
    const path = (steps: number): string => `response.body${'.a'.repeat(steps)}`;
    expect(readSanitize([path(100), path(101)]).response.body.map(({ length }) => length)).toEqual([100]);
  });
});
