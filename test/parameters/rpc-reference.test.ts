import { describe, expect, it } from 'vitest';
import { parseRpcReference } from '../../src/engine/parameters/rpc-reference.js';

const reads = (text: string) => parseRpcReference(text);

describe('parseRpcReference', () => {
  it('reads a name', () => {
    expect(reads('rpc://listModels')).toEqual({ name: 'listModels', query: [] });
    expect(reads(' RPC://listModels ')).toEqual({ name: 'listModels', query: [] });
  });

  it('reads a query of templates in order', () => {
    expect(reads('rpc://list?uuid={{parameters.uuid}}&limit=5&uuid=2')).toEqual({
      name: 'list',
      query: [
        ['uuid', '{{parameters.uuid}}'],
        ['limit', '5'],
        ['uuid', '2'],
      ],
    });
  });

  it('keeps separators inside of expressions', () => {
    expect(reads('rpc://x?q={{if(a & b; "?k=v&}}"; c = d)}}&r=1')?.query).toEqual([
      ['q', '{{if(a & b; "?k=v&}}"; c = d)}}'],
      ['r', '1'],
    ]);
    expect(reads("rpc://x?q={{replace(a; '\\'}}'; `}}&`)}}&r=1")?.query).toHaveLength(2);
  });

  it('reads an unclosed expression to the end', () => {
    expect(reads('rpc://x?q={{a&b=1')?.query).toEqual([['q', '{{a&b=1']]);
  });

  it('decodes percent-encoding outside of expressions only', () => {
    expect(reads('rpc://a%20b?c%3D=%26{{"%26"}}%26&bad=%zz')).toEqual({
      name: 'a b',
      query: [
        ['c=', '&{{"%26"}}&'],
        ['bad', '%zz'],
      ],
    });
  });

  it('keeps names without a value and drops empty parts', () => {
    expect(reads('rpc://x?a&&b=&=')?.query).toEqual([
      ['a', ''],
      ['b', ''],
    ]);
  });

  it.each(['', 'list', 'rpc:/list', 'http://list', 'rpc://', 'rpc://?a=1', '{{parameters.x}}'])(
    'returns undefined for "%s"',
    (text) => {
      expect(reads(text)).toBeUndefined();
    },
  );

  it('takes linear time for a long text', () => {
    const parts = Array.from({ length: 6000 }, (_, index) => `k${index}={{a}}`);
    expect(reads(`rpc://x?${parts.join('&')}`)?.query).toHaveLength(6000);
    expect(reads(`rpc://x?${'{{'.repeat(49_000)}`)?.query).toHaveLength(1);
    expect(reads(`rpc://x?${'{{'.repeat(50_000)}`)).toBeUndefined();
  });
});
