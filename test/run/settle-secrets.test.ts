import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RunLog } from '../../src/run/scope/run-log.js';
import { CountedTurns } from '../util/counted-turns.js';
import { engineOf, service } from './helpers.js';

const secret = (index: number): string => `${index}-`.repeat(400).slice(0, 1500);
const secrets = Array.from({ length: 200 }, (_, index) => secret(index + 1000));

/** Learns something in its third turn. */
class LearningTurns extends CountedTurns {
  readonly #log: RunLog;

  constructor(log: RunLog) {
    super();
    this.#log = log;
  }

  override async next(): Promise<void> {
    await super.next();
    if (this.taken === 3) this.#log.learn(['learned-meanwhile']);
  }
}

it('a run with many secrets gets ready to look for them in turns, and misses none', async () => {
  const log = new RunLog(secrets, undefined, 'summary');
  expect(log.isUnsettled).toBe(true);
  const turns = new LearningTurns(log);
  await log.settle(turns);
  expect(turns.taken).toBeGreaterThan(secrets.length);
  expect(log.isUnsettled).toBe(false);
  const said = log.redactor.text(`${secret(1000)} ${secret(1199)} learned-meanwhile open`);
  expect(said).toBe('[SANITIZED] [SANITIZED] [SANITIZED] open');
});

it('who asks for the redactor meanwhile gets one that knows all', async () => {
  const log = new RunLog(secrets, undefined, 'summary');
  const settled = log.settle(new CountedTurns());
  expect(log.redactor.holdsSecret(secret(1199))).toBe(true);
  log.learn(['learned-after-that']);
  await settled;
  expect(log.redactor.holdsSecret('learned-after-that')).toBe(true);
});

it('what an answer brings is made ready, too', async () => {
  const log = new RunLog([], undefined, 'full');
  log.redactor.text('used');
  expect(log.isUnsettled).toBe(false);
  log.learn(secrets);
  expect(log.isUnsettled).toBe(true);
  const turns = new CountedTurns();
  await log.settle(turns);
  expect(turns.taken).toBeGreaterThan(10);
  expect(log.redactor.holdsSecret(secret(1100))).toBe(true);
});

it('few secrets are no reason to wait', () => {
  expect(new RunLog(['x'.repeat(900)], undefined, 'full').isUnsettled).toBe(false);
  expect(new RunLog(['x'.repeat(5000)], undefined, 'summary').isUnsettled).toBe(false);
  expect(new RunLog(['x'.repeat(5000)], undefined, 'full').isUnsettled).toBe(true);
});

/** How often others have their turn before a request is sent whose `temp` brings secrets. */
async function countTurns(list: readonly string[]): Promise<number> {
  let others = 0;
  let beforeRequest = 0;
  let isDone = false;
  const counting = (async () => {
    for (; !isDone; others++) await setImmediate();
  })();
  const { transport } = service(() => {
    beforeRequest = others;
    return { json: {} };
  });
  const test = engineOf({ url: '/x', temp: { token: '{{parameters.list}}' } }, { transport, trace: 'full' });
  const { error, trace } = await test.run({ parameters: { list } });
  isDone = true;
  await counting;
  expect(error).toBeUndefined();
  expect(JSON.stringify(trace)).not.toContain(list[0]);
  return beforeRequest;
}

it('what temp brings is made ready before the request is told of, too', async () => {
  const list = Array.from({ length: 1000 }, (_, index) => `${index}-`.repeat(40).slice(0, 100));
  await countTurns(list);
  expect((await countTurns(list)) - (await countTurns(['a-secret']))).toBeGreaterThan(3);
});

it('a run that is given more than it can look for says so, once', async () => {
  const texts = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `text-${at}`);
  const many = new RunLog(texts(5000), undefined, 'summary');
  many.learn(texts(5000));
  expect(many.warnings).toEqual([]);
  many.learn(['one-more', 'and-one-more']);
  expect(many.warnings).toMatchObject([{ code: 'many-secrets', place: undefined }]);
  const long = new RunLog(
    texts(60).map((text) => text.padEnd(60_000, '-')),
    undefined,
    'summary',
  );
  await long.settle(new CountedTurns());
  expect(long.warnings).toMatchObject([{ code: 'many-secrets' }]);
});
