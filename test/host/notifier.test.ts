import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createHost, createNotifier } from '../../src/host/index.js';
import { httpServer, readBody } from '../http/loopback.js';
import { eventually, openParts } from './open-parts.js';
import { createFile } from './test-database.js';
import { failure, flowsOf, plan, receiveJson } from './test-flows.js';

/** A host with a notifier whose only event fails. */
async function failOnce(to: string, errors: Error[]): Promise<void> {
  const notifier = createNotifier({ to, onError: (error) => errors.push(error) });
  const { store, queue, drop } = await openParts('memory');
  const host = createHost({
    store,
    queue,
    receiver: receiveJson,
    flows: flowsOf(() => failure('DataError')),
    observer: notifier.observer,
  });
  onTestFinished(drop);
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name: 's', plan: plan({}), hookId: hook.id });
  await host.start();
  await host.fetch(new Request(`http://localhost${hook.path}`, { method: 'POST', body: '{"n":1}' }));
  await eventually(async () => (await store.count('events', { status: 'dead' })) === 1);
  await host.stop(1000);
  await notifier.settle();
}

it('posts to an address when an event is dead', async () => {
  const told: unknown[] = [];
  const service = await httpServer(async (request, response) => {
    told.push(JSON.parse(await readBody(request)));
    response.end();
  });
  const errors: Error[] = [];
  await failOnce(`${service.origin}/ops`, errors);
  expect(errors).toEqual([]);
  expect(told).toContainEqual(
    expect.objectContaining({ kind: 'run-finished', scenario: 's', becomes: 'dead' }),
  );
});

it('passes the notice to a command as its standard input', async () => {
  const file = await createFile();
  onTestFinished(file.drop);
  const errors: Error[] = [];
  await failOnce(`cat >> ${file.at}`, errors);
  const lines = (await readFile(file.at, 'utf8')).trim().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ kind: 'run-finished', becomes: 'dead' }),
  );
  expect(errors).toEqual([]);
});

it('kills a command that ignores SIGTERM', { timeout: 30_000 }, async () => {
  const errors: Error[] = [];
  const onError = (error: Error): void => void errors.push(error);
  const notifier = createNotifier({ to: "trap '' TERM; sleep 60 & wait; sleep 60", onError, timeoutMs: 200 });
  notifier.observer({ kind: 'scenario-off', scenario: 's', reason: 'errors' } as never);
  await notifier.settle();
  expect(errors.map(({ message }) => message)).toEqual([
    'A notification was not delivered: the command ended with SIGKILL.',
  ]);
});

it('reports a refused notification without the address of the receiver', async () => {
  const service = await httpServer((_request, response) => void response.writeHead(500).end());
  const errors: Error[] = [];
  await failOnce(`${service.origin}/secret-path`, errors);
  expect(errors[0]?.message).toBe('A notification was not delivered: it responded with status 500.');
  const others: Error[] = [];
  await failOnce('exit 3', others);
  expect(others[0]?.message).toBe('A notification was not delivered: the command ended with 3.');
});

const OFF = { kind: 'scenario-off', scenario: 's', reason: 'fatal-error', error: undefined } as const;

it('reports disabled scenarios and abandoned events, and nothing that needs no attention', async () => {
  const file = await createFile();
  onTestFinished(file.drop);
  const notifier = createNotifier({ to: `cat >> ${file.at}`, onError: () => {} });
  const run = { runId: 'r', scenario: 's', source: { kind: 'poll' }, incompletes: 0, durationMs: 1 } as const;
  for (const becomes of ['done', 'again', 'stopped'] as const) {
    notifier.observer({ kind: 'run-finished', ...run, outcome: 'error', becomes, error: undefined });
  }
  notifier.observer({ kind: 'problem', error: new Error('away') });
  notifier.observer(OFF);
  notifier.observer({
    kind: 'given-up',
    scenario: 's',
    attempts: 10,
    error: { message: 'over' },
    source: { kind: 'incomplete', incompleteId: 4 },
  });
  await notifier.settle();
  const lines = (await readFile(file.at, 'utf8')).trim().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { kind: 'scenario-off', reason: 'fatal-error' },
    { kind: 'given-up', attempts: 10 },
  ]);
});

it('limits the wait for a receiver, and reports each dropped notification', async () => {
  const service = await httpServer(() => {});
  onTestFinished(() => service.close());
  const errors: Error[] = [];
  const notifier = createNotifier({
    to: service.origin,
    timeoutMs: 20,
    onError: (error) => errors.push(error),
  });
  for (let n = 0; n < 103; n++) notifier.observer(OFF);
  expect(errors.map(({ message }) => message)).toEqual(
    Array.from({ length: 3 }, () => 'A notification was not delivered: 100 others wait.'),
  );
  await notifier.settle();
  expect(errors).toHaveLength(103);
  expect(errors.at(-1)?.message).toBe('A notification was not delivered: it does not respond.');
}, 60_000);
