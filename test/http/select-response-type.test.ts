import { describe, expect, it } from 'vitest';
import { selectResponseType } from '../../src/http/body/body-decoding.js';

describe('selectResponseType', () => {
  it.each([
    [undefined, 'automatic'],
    [null, 'automatic'],
    ['', 'automatic'],
    ['xml', 'xml'],
    [{}, 'automatic'],
    [{ '200': 'text' }, 'automatic'],
    [{ '*': 'json' }, 'json'],
    [{ '*': 'json', '400-408': 'text' }, 'text'],
    [{ '400-499': 'xml', '*': 'json', '400-408': 'text', '404': 'binary' }, 'binary'],
    [{ '1-999': 'text', '*': 'json' }, 'text'],
    [{ '404-404': 'text', '400-404': 'json' }, 'text'],
    [{ '404-410': 'text' }, 'text'],
    [{ '400-404': 'text' }, 'text'],
    [{ '405-410': 'text', '*': 'json' }, 'json'],
    [{ '410-400': 'text' }, 'text'],
    [{ '4xx': 'text', x: 'xml', '*': 'json' }, 'json'],
  ])('%j at 404 is %s', (spec, expected) => expect(selectResponseType(spec, 404)).toBe(expected));

  it('rejects unknown types with a suggestion', () => {
    expect(() => selectResponseType('jsn', 200)).toThrow(/Did you mean "json"\?/);
    expect(() => selectResponseType({ '*': 5 }, 200)).toThrow(
      expect.objectContaining({ code: 'SPEC_INVALID' }),
    );
  });
});
