import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createEngineReceiver,
  createHost,
  createScenarioFlows,
  type Host,
  type HostNotice,
  openHostSqlite,
} from '../../src/host/index.js';
import { createEngine, defineApp } from '../../src/index.js';
import type { ScenarioSettings } from '../../src/scenario/index.js';
import { NO_SPAN, type Tracing } from '../../src/shared/tracing.js';
import { eventually } from './open-parts.js';
import { plan } from './test-flows.js';

type CreateHookInput = Parameters<Host['putHook']>[0];
type FlowsOptions = Parameters<typeof createScenarioFlows>[0];
type NamedConnection = Parameters<NonNullable<FlowsOptions['findConnectionSecrets']>>[0];

const SECRETS = {
  parameter: 'signing-of-the-hook-1',
  stored: 'stored-by-attach-2',
  ofHook: 'key-of-the-hook-3',
  ofStep: 'key-of-another-step-4',
};

const APP = defineApp({
  name: 'crm',
  webhooks: {
    own: { type: 'web', communication: { output: '{{body}}' } },
    shared: { type: 'web-shared', communication: { uid: '{{body.to}}', output: '{{body}}' } },
  },
  modules: {
    refuse: {
      type: 'action',
      communication: {
        response: { valid: false, error: { message: 'no {{parameters.v}}', type: 'DataError' } },
      },
      mappableParams: [{ name: 'v', type: 'text' }],
    },
  },
});

const REFUSE = { id: 2, app: 'crm', module: 'refuse', parameters: { v: '{{1.note}}' } };

interface Wanted extends Pick<CreateHookInput, 'webhook' | 'kind' | 'uid'> {
  readonly settings?: Partial<ScenarioSettings>;
  readonly onError?: unknown;
}

/** A host whose scenario fails with a message that contains the sent data. */
async function open({ settings = {}, onError, ...hook }: Wanted) {
  const notices: HostNotice[] = [];
  const failures: string[] = [];
  const asked: NamedConnection[] = [];
  const tracing: Tracing = {
    startSpan: () => ({ ...NO_SPAN, fail: (message) => void failures.push(message) }),
  };
  const engines = { crm: createEngine({ app: APP }) };
  const store = await openHostSqlite({ file: ':memory:' });
  const flows = createScenarioFlows({
    engines,
    tracing,
    findConnectionSecrets: async (named) => {
      asked.push(named);
      return named.connection === 'work' ? [SECRETS.ofHook] : [SECRETS.ofStep];
    },
  });
  const host = createHost({
    ...{ store, flows, tracing },
    receiver: createEngineReceiver({ engines }),
    observer: (notice) => void notices.push(notice),
  });
  onTestFinished(() => host.stop(100));
  const parameters = { v: SECRETS.parameter };
  const { id, path } = await host.putHook({ ...hook, name: 'h', app: 'crm', connection: 'work', parameters });
  await store.transaction((writer) => writer.update('hooks', { id }, { data: { sig: SECRETS.stored } }));
  const other = { ...REFUSE, id: 3, connection: 'other' };
  const flow = { startsWithWebhook: true, steps: [{ ...REFUSE, onError }, other] };
  await host.scenarios.put({ name: 's', plan: { ...plan({ settings }), flow }, hookId: id });
  await host.start();
  const send = async (note: string): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ note, to: hook.uid });
    await host.fetch(new Request(`http://localhost${path}`, { method: 'POST', headers, body }));
  };
  return { host, store, path, notices, failures, asked, send };
}

const NOTE = Object.values(SECRETS).join(' ');
const CLEANED = 'no [SANITIZED] [SANITIZED] [SANITIZED] [SANITIZED]';

describe('the error of a failed run', () => {
  it('contains no secret of the hook and the connections: stored, observed or traced', async () => {
    const { host, send, notices, failures, asked } = await open({ webhook: 'own', kind: 'dedicated' });
    await send(NOTE);
    await eventually(async () => (await host.health()).events.dead === 1);
    const { error } = await host.events.get(1);
    expect(error).toMatchObject({ type: 'DataError', message: CLEANED });
    expect((await host.scenarios.get('s')).lastError).toMatchObject({ message: CLEANED });
    await eventually(() => notices.some(({ kind }) => kind === 'run-finished'));
    for (const secret of Object.values(SECRETS)) expect(JSON.stringify(notices)).not.toContain(secret);
    expect(failures.sort()).toEqual(['DataError', CLEANED]);
    expect(asked).toEqual([
      { app: 'crm', connection: 'work' },
      { app: 'crm', connection: 'other' },
    ]);
  });

  it('is redacted in a stored incomplete execution, whose data stay complete, and after a failed retry', async () => {
    const settings = { storeIncomplete: true };
    const onError = { kind: 'break', automatic: false } as const;
    const { host, send, notices } = await open({ webhook: 'own', kind: 'dedicated', settings, onError });
    await send(NOTE);
    const findRow = async () => (await host.scenarios.incompletes('s'))[0];
    await eventually(async () => (await findRow())?.status === 'unresolved');
    expect(await findRow()).toMatchObject({
      error: { message: CLEANED },
      execution: { error: { message: CLEANED }, outputs: { 1: { note: NOTE } } },
    });
    await host.scenarios.retry(1);
    await eventually(() => notices.filter(({ kind }) => kind === 'run-finished').length === 2);
    expect(await findRow()).toMatchObject({ status: 'unresolved', error: { message: CLEANED } });
    for (const secret of Object.values(SECRETS)) expect(JSON.stringify(notices)).not.toContain(secret);
  });

  it('does not contain the address of a shared webhook', async () => {
    const { host, send, path } = await open({ webhook: 'shared', kind: 'member', uid: 'u1' });
    const token = path.split('/').at(-1) ?? '';
    await send(`${NOTE} ${token}`);
    await eventually(async () => (await host.health()).events.dead === 1);
    expect((await host.events.get(1)).error).toMatchObject({ message: `${CLEANED} [SANITIZED]` });
  });
});
