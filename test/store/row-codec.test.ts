import { expect, it } from 'vitest';
import { JsonText } from '../../src/shared/store/json-text.js';
import type { TableDefinition } from '../../src/shared/store/record-store.js';
import { createRowCodec } from '../../src/shared/store/sql/row-codec.js';

const DEFINITION: TableDefinition<never> = {
  columns: ['first', 'second'] as never[],
  json: ['first', 'second'] as never[],
  large: ['first', 'second'] as never[],
  sealed: ['first', 'second'] as never[],
};

it('keeps a sealed large value as stored', () => {
  const codec = createRowCodec('t', DEFINITION, { prefix: '', sealKey: new Uint8Array(32).fill(7) });
  const row = { first: new JsonText('[1]'), second: new JsonText('[2]') };
  for (const [name, value] of Object.entries(row)) {
    const kept = codec.encodeValue(name, value);
    expect(codec.decodeValue(name, kept)).toEqual(JSON.parse(value.text));
  }
});

it('reads values shared by rows once, up to 64 Mi characters in total', () => {
  const definition: TableDefinition<never> = {
    columns: ['plan'] as never[],
    json: ['plan'] as never[],
    shared: ['plan'] as never[],
  };
  const codec = createRowCodec('t', definition, { prefix: '' });
  const texts = Array.from({ length: 40 }, (_, index) =>
    JSON.stringify({ index, text: 'x'.repeat(1024 * 1024) }),
  );
  const readAll = (): unknown[] => texts.map((text) => codec.decodeValue('plan', text));
  const first = readAll();
  for (const [index, value] of readAll().entries()) expect(value).toBe(first[index]);
});
