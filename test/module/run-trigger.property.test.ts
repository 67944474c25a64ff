import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  compareItems,
  createNewTest,
  findSeenIds,
  type ItemPosition,
  readTriggerState,
  stateOfAll,
  type TriggerOrder,
  type TriggerType,
} from '../../src/engine/module/trigger-state.js';
import type { TriggerState } from '../../src/index.js';
import { engineOf } from '../component/engine-of.js';
import { service } from '../run/helpers.js';

interface Item {
  readonly id: number | string;
  readonly at: string;
}

interface Plan {
  readonly type: TriggerType;
  readonly order: TriggerOrder;
  readonly hasTextIds: boolean;
  readonly pageSize: number;
  /** Undefined: one run outputs all new items. */
  readonly limit: number | undefined;
  /** Items added before each run, by the number of days between their dates. */
  readonly arrivals: readonly (readonly number[])[];
  /** Number of bundles the consumer of each run reads before it leaves. */
  readonly takes: readonly number[];
  readonly seed: number;
}

const PLAN: fc.Arbitrary<Plan> = fc.record({
  type: fc.constantFrom('id', 'date'),
  order: fc.constantFrom('asc', 'desc', 'unordered'),
  hasTextIds: fc.boolean(),
  pageSize: fc.integer({ min: 1, max: 4 }),
  limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  arrivals: fc.array(fc.array(fc.constantFrom(0, 0, 0, 1, 3), { maxLength: 5 }), {
    minLength: 1,
    maxLength: 5,
  }),
  takes: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 }),
  seed: fc.nat(),
});

/** Items of one date come in any order, as APIs sort by date only. */
function arrange(items: readonly Item[], { type, order, seed }: Plan): readonly Item[] {
  const shuffled = items
    .map((item, index) => ({ item, rank: ((index + 1) * 7919 + seed) % 104_729 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
  if (order === 'unordered') return shuffled;
  const direction = order === 'asc' ? 1 : -1;
  const key = (item: Item): ItemPosition =>
    type === 'id' ? { id: item.id, dateMs: 0 } : { id: 0, dateMs: Date.parse(item.at) };
  return shuffled.sort((a, b) => direction * compareItems(key(a), key(b)));
}

function positionOf({ id, at }: Item, type: TriggerType): ItemPosition {
  return { id, dateMs: type === 'id' ? 0 : Date.parse(at) };
}

function appOf({ type, order, limit }: Plan): Parameters<typeof engineOf>[0] {
  const trigger = { type, order, id: '{{item.id}}', date: '{{item.at}}' };
  const response = { iterate: '{{body}}', limit, trigger };
  const pagination = { qs: { page: '{{pagination.page}}' } };
  return { modules: { watch: { type: 'trigger', communication: { url: '/n', response, pagination } } } };
}

it('repeated runs output every item once for any order and pagination, and the state skips none', async () => {
  await fc.assert(
    fc.asyncProperty(PLAN, async (plan) => {
      const items: Item[] = [];
      const { transport } = service((request) => {
        const page = Number(new URL(request.url).searchParams.get('page') ?? 1);
        const start = (page - 1) * plan.pageSize;
        return { json: arrange(items, plan).slice(start, start + plan.pageSize) };
      });
      const { engine } = engineOf(appOf(plan), { http: { transport } });
      const taken: Item[] = [];
      let state: TriggerState = stateOfAll(plan.type);
      let day = 1;

      const poll = async (take: number): Promise<number> => {
        const run = engine.module('watch').run({ state });
        let count = 0;
        for await (const bundle of run) {
          if (count === take) break;
          taken.push(bundle as Item);
          count++;
        }
        const after = JSON.parse(JSON.stringify(run.report().state));
        state = readTriggerState(after, plan.type) ?? state;
        const isNew = createNewTest(state, findSeenIds(state));
        const isTaken = new Set(taken.map(({ id }) => id));
        const waiting = items.filter(({ id }) => !isTaken.has(id));
        expect(waiting.every((item) => isNew(positionOf(item, plan.type)))).toBe(true);
        return count;
      };

      for (const [round, days] of plan.arrivals.entries()) {
        for (const step of days) {
          day += step;
          const id = items.length + 1;
          const at = new Date(Date.UTC(2024, 0, day)).toISOString();
          items.push({ id: plan.hasTextIds ? `x${String(id).padStart(3, '0')}` : id, at });
        }
        await poll(plan.takes[round % plan.takes.length] ?? 0);
      }
      for (let rounds = 0; (await poll(plan.limit ?? Number.POSITIVE_INFINITY)) > 0; rounds++)
        expect(rounds).toBeLessThan(100);

      expect(taken.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort());
      const keys = taken.map((item) => (plan.type === 'id' ? positionOf(item, 'id').id : item.at));
      expect(keys).toEqual([...keys].sort((a, b) => (a < b ? -1 : Number(a > b))));
      await engine.close();
    }),
    { numRuns: 120 },
  );
});
