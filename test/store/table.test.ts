import { expect, it } from 'vitest';
import { createTables, type TableDefinition } from '../../src/shared/store/table.js';

it('reads values shared by rows once, up to 64 Mi characters in total', () => {
  const definition: TableDefinition<{ id: number; plan: unknown }> = {
    columns: { plan: 'json' },
    shared: ['plan'],
  };
  const { decode } = createTables({ t: definition }, { prefix: '' })('t').column('plan');
  const texts = Array.from({ length: 40 }, (_, index) =>
    JSON.stringify({ index, text: 'x'.repeat(1024 * 1024) }),
  );
  const readAll = (): unknown[] => texts.map((text, id) => decode?.(text, id));
  const first = readAll();
  for (const [index, value] of readAll().entries()) expect(value).toBe(first[index]);
});
