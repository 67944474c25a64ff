import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBudget } from '../../src/shared/byte-budget.js';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a byte budget', () => {
  it('makes a holder wait until others have released enough', async () => {
    const budget = new ByteBudget<string>(100);
    await budget.hold('a', 60);
    await budget.hold('b', 40);
    let isHeld = false;
    const waiting = budget.hold('c', 30).then(() => (isHeld = true));
    await settled();
    expect([isHeld, budget.used]).toEqual([false, 100]);
    budget.release('b');
    await waiting;
    expect(budget.used).toBe(90);
  });

  it('counts the largest amount per holder, not the sum', async () => {
    const budget = new ByteBudget<string>(100);
    for (const bytes of [10, 50, 20]) await budget.hold('a', bytes);
    expect(budget.used).toBe(50);
  });

  it('lets a single holder exceed the budget, as no other could release bytes', async () => {
    const budget = new ByteBudget<string>(100);
    await budget.hold('a', 1000);
    let isHeld = false;
    void budget.hold('b', 1).then(() => (isHeld = true));
    await settled();
    expect(isHeld).toBe(false);
    budget.release('a');
    await settled();
    expect([isHeld, budget.used]).toEqual([true, 1]);
  });

  it('prevents deadlocks between two holders', async () => {
    const budget = new ByteBudget<string>(100);
    await budget.hold('a', 50);
    await budget.hold('b', 50);
    const second = budget.hold('b', 80);
    await budget.hold('a', 80);
    budget.release('a');
    await second;
    expect(budget.used).toBe(80);
  });

  it('ends the wait of a released holder', async () => {
    const budget = new ByteBudget<string>(10);
    await budget.hold('a', 10);
    const waiting = budget.hold('b', 5);
    budget.release('b');
    await waiting;
    expect(budget.used).toBe(10);
  });

  it('serves every holder eventually, for any order', async () => {
    const holder = fc.array(fc.nat(150), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(holder, { maxLength: 12 }), async (holders) => {
        const budget = new ByteBudget<number>(100);
        await Promise.all(
          holders.map(async (steps, id) => {
            for (const bytes of steps) {
              await budget.hold(id, bytes);
              await settled();
            }
            budget.release(id);
          }),
        );
        expect(budget.used).toBe(0);
      }),
    );
  });
});
