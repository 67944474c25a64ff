import { expect, it, onTestFinished } from 'vitest';
import { createHost, type Host, type HostStore, openHostSqlite } from '../../src/host/index.js';
import { eventually } from './open-parts.js';
import { createFile } from './test-database.js';
import { failure, flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

async function openFile(): Promise<() => Promise<HostStore>> {
  const file = await createFile();
  onTestFinished(file.drop);
  return async () => {
    const store = await openHostSqlite({ file: file.at });
    onTestFinished(() => store.close());
    return store;
  };
}

function hostOn(store: HostStore, run = (): ReturnType<typeof failure> => SUCCESS): Host {
  const host = createHost({ store, receiver: receiveJson, flows: flowsOf(run) });
  onTestFinished(() => host.stop(100));
  return host;
}

it('runs one host per SQLite file, and reports this to a second one', async () => {
  const open = await openFile();
  const first = hostOn(await open());
  await first.start();
  const second = hostOn(await open());
  await expect(second.start()).rejects.toMatchObject({
    code: 'HOST_REFUSED',
    message: expect.stringMatching(/^Another host runs on .*host\.db\. Only one host can use a SQLite file/),
  });
  // Before it opens a port and prints its address.
  await expect(second.listen()).rejects.toMatchObject({ code: 'HOST_REFUSED' });
  await first.stop(100);
  await second.start();
});

it('processes events that another process replays or enables in the file', async () => {
  const open = await openFile();
  let fails = true;
  let runs = 0;
  const host = hostOn(await open(), () => {
    runs++;
    return fails ? failure('DataError') : SUCCESS;
  });
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name: 's', plan: plan({ ordered: true }), hookId: hook.id });
  await host.start();
  const post = async (): Promise<number> =>
    (await host.fetch(new Request(`http://localhost${hook.path}`, { method: 'POST', body: '{"n":1}' })))
      .status;
  expect(await post()).toBe(200);
  // A host that is not started only administers, as the commands do.
  const desk = hostOn(await open());
  await eventually(async () => (await desk.events.list({ status: ['dead'] })).length === 1);
  fails = false;
  await desk.events.replay(1);
  await eventually(async () => (await desk.events.get(1)).status === 'done');
  await desk.scenarios.deactivate('s');
  expect(await post()).toBe(200);
  await eventually(async () => (await desk.events.get(2)).status === 'pending');
  expect(runs).toBe(2);
  await desk.scenarios.activate('s');
  await eventually(async () => (await desk.events.get(2)).status === 'done', 5000);
});
