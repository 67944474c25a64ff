import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeenIds } from '../../src/trigger/seen-ids.js';
import { Turns } from '../../src/util/turns.js';

const stateOf = (sameDateIds: readonly (string | number)[]) => ({
  lastDate: '2024-01-05T00:00:00.000Z',
  sameDateIds,
});

describe('the ids of the last date', () => {
  it('are found by their texts', () => {
    const seen = SeenIds.of(stateOf([5, '7', 'a', '']));
    expect(['5', 7, 'a', '', '77', 'b'].map((id) => seen.has(id))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('are none where a trigger goes by ids', () => {
    expect(SeenIds.of({ lastId: 5 }).has(5)).toBe(false);
  });

  it('are the same whether they are taken at once or in turns', async () => {
    const ids = fc.array(fc.oneof(fc.string(), fc.integer()));
    await fc.assert(
      fc.asyncProperty(ids, ids, async (known, asked) => {
        const plain = new Set(known.map(String));
        const atOnce = SeenIds.of(stateOf(known));
        const inTurns = await SeenIds.inTurns(stateOf(known), new Turns());
        for (const id of [...known, ...asked]) {
          expect(atOnce.has(id)).toBe(plain.has(String(id)));
          expect(inTurns.has(id)).toBe(plain.has(String(id)));
        }
      }),
    );
  });

  it('let others have their turn when they are many', async () => {
    let turns = 0;
    const many = Array.from({ length: 500_000 }, (_, id) => `identifier ${id}`);
    const seen = await SeenIds.inTurns(stateOf(many), new Turns(() => turns++));
    expect(turns).toBeGreaterThan(2);
    expect(seen.has('identifier 499999')).toBe(true);
  });
});
