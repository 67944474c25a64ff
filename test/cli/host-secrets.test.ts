import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createHostSecretFinder, type HostSecrets } from '../../src/cli/connections/host-secrets.js';
import { putHook } from '../../src/host/hooks/hooks.js';
import { openHostSqlite } from '../../src/host/store/open-host-store.js';
import { SYSTEM_CLOCK } from '../../src/util/clock.js';

/** What is found for a call that the shared address refused, where each member of it holds so many secrets. */
async function findForAddress(members: number, secretsOfEach: number): Promise<HostSecrets> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iml-'));
  const store = await openHostSqlite({ file: path.join(folder, 'host.db') });
  try {
    for (let uid = 0; uid < members; uid++) {
      const list = Array.from({ length: secretsOfEach }, (_, id) => `secret-${uid}-${id}`);
      const hook = { app: 'a', webhook: 'w', kind: 'member', parameters: { list } } as const;
      await putHook(store, SYSTEM_CLOCK, { ...hook, name: `h${uid}`, uid: `${uid}` });
    }
    const address = await store.get('hooks', { kind: 'address' });
    const finder = createHostSecretFinder(store, { HOME: folder });
    return await finder.forEvent({ hookId: address?.id ?? 0, scenarioId: null });
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

it('finds what all members of a shared webhook hold', async () => {
  const found = await findForAddress(3, 2);
  expect(found).toEqual(expect.arrayContaining(['secret-0-0', 'secret-2-1']));
});

it('gives none where they hold more than can be looked for, so that nothing is shown', async () => {
  expect(await findForAddress(6, 1000)).toBeUndefined();
});
