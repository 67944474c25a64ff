import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { removeHook } from '../../src/host/hooks/hooks.js';
import { createHost, type Host, type HostStore, openHostSqlite } from '../../src/host/index.js';
import { createHostSecretFinder, type HostSecrets } from '../../src/tools/cli/connections/connection-data.js';
import { openConnectionRows } from '../../src/tools/cli/input/host-store-options.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { flowsOf, plan, receiveJson, SUCCESS } from '../host/test-flows.js';

const POLLING = { name: 's', plan: plan({ everyMs: 60_000 }) };

let store: HostStore;
let host: Host;

beforeEach(async () => {
  store = await openHostSqlite({ file: ':memory:' });
  host = createHost({ store, flows: flowsOf(() => SUCCESS), receiver: receiveJson });
  onTestFinished(() => host.stop(100));
});

async function findSecrets(): Promise<HostSecrets> {
  return createHostSecretFinder(store, openConnectionRows(store, new Uint8Array(32))).forScenario(
    await host.scenarios.get('s'),
  );
}

async function putWithHook(): Promise<number> {
  const { id } = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ ...POLLING, hookId: id });
  return id;
}

it('a scenario without a hook has only the secrets of its steps', async () => {
  await host.scenarios.put(POLLING);
  expect(await findSecrets()).toEqual([]);
  await host.scenarios.put({ ...POLLING, plan: plan({ everyMs: 30_000 }) });
  expect(await findSecrets()).toEqual([]);
});

it('a scenario with a removed hook has unknown secrets', async () => {
  await removeHook(store, createVirtualClock(Date.now()), await putWithHook());
  expect(await findSecrets()).toBeUndefined();
  await host.scenarios.put(POLLING);
  expect(await findSecrets()).toBeUndefined();
});

it('a scenario with a changed trigger has unknown secrets', async () => {
  await putWithHook();
  await host.scenarios.put(POLLING);
  expect(await findSecrets()).toBeUndefined();
});
