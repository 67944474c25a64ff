import { afterAll, expect, it, onTestFinished } from 'vitest';
import { createHost } from '../../src/host/index.js';
import { describeEach, eventually, openParts } from './open-parts.js';
import { dropTemplate } from './test-database.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

afterAll(dropTemplate);

describeEach('rows that cannot be read', (engine) => {
  const open = async () => {
    const { store, queue, drop } = await openParts(engine);
    const runs: unknown[] = [];
    const host = createHost({
      store,
      queue,
      receiver: receiveJson,
      flows: flowsOf(({ source }) => {
        if (source.kind === 'event') runs.push(...source.bundles);
        return SUCCESS;
      }),
    });
    onTestFinished(async () => {
      await host.stop(1000);
      await drop();
    });
    const put = async (name: string, ordered: boolean): Promise<(body: object) => Promise<Response>> => {
      const hook = await host.putHook({ name, app: 'a', webhook: 'w', kind: 'dedicated' });
      await host.scenarios.put({ name, plan: plan({ ordered }), hookId: hook.id });
      return (body) =>
        host.fetch(
          new Request(`http://localhost${hook.path}`, { method: 'POST', body: JSON.stringify(body) }),
        );
    };
    /** Damages a JSON column. */
    const damage = (table: string, column: string, where: string): Promise<unknown> =>
      store.transaction((writer) =>
        Promise.resolve(writer.sql?.run(`update ${table} set ${column} = '{broken' where ${where}`, [])),
      );
    return { host, store, runs, put, damage };
  };

  it.each([true, false])('make an event dead, and the next ones run (ordered: %s)', async (ordered) => {
    const { host, runs, put, damage } = await open();
    const send = await put('orders', ordered);
    for (const n of [1, 2, 3]) await send({ n });
    await damage('host_payloads', 'bundles', 'id = 1');
    await host.start();
    await eventually(async () => (await host.events.list({ status: ['done'] })).length === 2);
    expect(runs).toHaveLength(2);
    expect(runs).toEqual(expect.arrayContaining([{ n: 2 }, { n: 3 }]));
    const [dead] = await host.events.list({ status: ['dead'] });
    expect(dead).toMatchObject({ id: 1, error: { code: 'STORE_FAILED' } });
    expect((await host.health()).events).toMatchObject({ dead: 1 });
    expect((await host.events.get(1)).bundles).toEqual({
      unreadable: 'Cannot read the value of host_events.bundles in the row 1: it is not JSON.',
    });
    expect((await host.events.discard(1)).status).toBe('discarded');
  });

  it('turn off a scenario whose state or plan is damaged, and no other one', async () => {
    const { host, runs, put, damage } = await open();
    const toState = await put('damaged-state', true);
    const toPlan = await put('damaged-plan', true);
    const toOther = await put('other', true);
    await damage('host_scenarios', 'state', `name = 'damaged-state'`);
    await damage('host_scenarios', 'definition', `name = 'damaged-plan'`);
    await host.start();
    for (const [index, send] of [toState, toPlan, toOther].entries()) {
      expect((await send({ n: index })).status).toBe(200);
    }
    await eventually(() => runs.length === 1);
    expect(runs).toEqual([{ n: 2 }]);
    await eventually(async () => (await host.health()).off.length === 2);
    expect(await host.health()).toMatchObject({ status: 'ok', off: ['damaged-state', 'damaged-plan'] });
    // A person repairs both.
    await host.scenarios.activate('damaged-state');
    await put('damaged-plan', true);
    await eventually(() => runs.length === 3);
  });
});
