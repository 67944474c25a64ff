import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallBudget, SlidingWindow } from '../../src/engine/run/call-budget.js';
import {
  type ConnectionStore,
  createEngine,
  defineApp,
  EngineError,
  type EngineOptions,
  type Transport,
  type TransportResponse,
} from '../../src/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { httpServer } from '../http/loopback.js';
import { type Answer, engineOf, PAGED, respond, type Setup, service, type TestRun } from './helpers.js';

const ITEM = { url: '/item' };

/** An API with one response per request. */
function answering(...answers: readonly Answer[]): ReturnType<typeof service> {
  return service((_request, call) => answers[call - 1] ?? { json: { ok: true } });
}

/** An API that responds on demand. */
function holding(): {
  readonly transport: Transport;
  readonly open: (() => void)[];
  readonly most: () => number;
} {
  const open: (() => void)[] = [];
  let inFlight = 0;
  let most = 0;
  const transport: Transport = async ({ url, signal }) => {
    most = Math.max(most, ++inFlight);
    try {
      await new Promise<void>((resolve, reject) => {
        open.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    } finally {
      inFlight--;
    }
    return respond({ json: {} }, url);
  };
  return { transport, open, most: () => most };
}

/** Several time slices, because evaluation yields to the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function answerAll(open: (() => void)[]): Promise<void> {
  for (await settled(); open.length > 0; await settled()) open.shift()?.();
}

function waitsOf(run: TestRun): readonly number[] {
  return run.clock.waits;
}

describe('Retry-After', () => {
  const limited = { status: 429, headers: { 'retry-after': '7' } };

  it('delays requests of later runs, and the report contains the delay and its reason', async () => {
    const one = engineOf(ITEM, { http: { transport: answering(limited).transport } });
    const { error } = await one.run();
    expect(error).toMatchObject({ type: 'RateLimitError', retryAfterMs: 7000 });
    const { ok, stats, trace } = await one.run();
    expect({ ok, waits: stats.waits }).toEqual({
      ok: true,
      waits: [
        {
          origin: 'https://api.example.test',
          reason: 'retry-after',
          limit: undefined,
          times: 1,
          waitedMs: 7000,
        },
      ],
    });
    expect(trace.map(({ kind }) => kind)).toEqual(['wait', 'request', 'response', 'stop']);
    expect(trace[0]).toMatchObject({ reason: 'budget', because: 'retry-after', delayMs: 7000 });
    expect(trace[2]).toMatchObject({ kind: 'response', durationMs: 0 });
  });

  it('does not affect another connection or another host', async () => {
    const { transport, requests } = answering({ status: 503, headers: { 'retry-after': '7' } });
    const one = engineOf({ url: '{{parameters.url}}' }, { http: { transport } });
    const url = 'https://api.example.test/item';
    await one.run({ parameters: { url }, connection: { key: 'a' } });
    await one.run({ parameters: { url }, connection: { key: 'b' } });
    await one.run({ parameters: { url: 'https://other.example.test' }, connection: { key: 'a' } });
    expect(waitsOf(one)).toEqual([]);
    await one.run({ parameters: { url }, connection: { key: 'a' } });
    expect([waitsOf(one), requests.length]).toEqual([[7000], 4]);
  });

  it('delays a request at most for the remaining time of the run', async () => {
    const long = { status: 429, headers: { 'retry-after': '999999999' } };
    const one = engineOf(ITEM, { http: { transport: answering(long).transport } });
    await one.run();
    const { ok, stats } = await one.run();
    expect([ok, waitsOf(one), stats.waits]).toEqual([true, [], undefined]);
  });

  it('counts against the time of the run', async () => {
    const { transport } = answering(
      { status: 429, headers: { 'retry-after': '30' } },
      { json: { items: [{ id: 1 }] } },
    );
    const one = engineOf(PAGED, { http: { transport } });
    await one.run();
    const { stats } = await one.run();
    expect(stats.durationMs).toBe(30_000);
  });

  it('ends with the signal of the caller', async () => {
    const { transport } = answering(limited);
    const one = engineOf(ITEM, { http: { transport } });
    await one.run();
    const controller = new AbortController();
    const clock = one.clock.sleep;
    Object.assign(one.clock, {
      sleep: (delayMs: number, signal?: AbortSignal) => {
        controller.abort(new Error('enough'));
        return clock(delayMs, signal);
      },
    });
    await expect(one.run({ signal: controller.signal })).rejects.toThrow('enough');
  });

  it('of a successful response delays no request', async () => {
    const one = engineOf(ITEM, {
      http: { transport: answering({ status: 202, headers: { 'retry-after': '9' } }).transport },
    });
    await one.run();
    await one.run();
    expect(waitsOf(one)).toEqual([]);
  });
});

describe('rate limit headers', () => {
  const left = (remaining: number, resetS: number): Answer => ({
    json: { items: [{ id: remaining }] },
    headers: {
      'ratelimit-limit': '10',
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(resetS),
    },
  });

  it('delay a run after the quota is used up', async () => {
    const { transport, requests } = answering(left(1, 5), left(0, 4), left(9, 60), { json: { items: [] } });
    const one = engineOf(PAGED, { http: { transport } });
    const { stats } = await one.run();
    expect(requests).toHaveLength(4);
    expect(stats.waits).toEqual([
      { origin: 'https://api.example.test', reason: 'rate-limit', limit: 10, times: 1, waitedMs: 4000 },
    ]);
  });

  it('use the last response; a response to an earlier request can only lower the quota', () => {
    const budget = new CallBudget();
    const url = 'https://api.example.test/item';
    const answer = (remaining: number, resetS: number): TransportResponse => ({
      ...respond(left(remaining, resetS), url),
    });
    const account = budget.open(url, '', 0);
    for (let call = 0; call < 4; call++) budget.admit(account, 0);
    const answered = (response: TransportResponse, sentAtMs: number, nowMs: number): void => {
      budget.leave(account);
      budget.applyHeaders(account, response, sentAtMs, nowMs);
    };
    answered(answer(3, 30), 0, 10);
    expect(account.left).toBe(0);
    answered(answer(9, 60), 5, 20);
    expect(budget.admit(account, 25)).toMatchObject({ reason: 'rate-limit', waitMs: 29_985 });
    answered(answer(9, 60), 10, 30);
    expect([account.left, budget.admit(account, 35)]).toEqual([8, undefined]);
  });

  it('do not slow down an API whose quota refills in time', async () => {
    const { transport, requests } = service((_request, call) =>
      call < 20 ? left(3, 60) : { json: { items: [] } },
    );
    const one = engineOf(PAGED, { http: { transport } });
    await one.run();
    expect([requests.length, waitsOf(one)]).toEqual([20, []]);
  });

  it.each([left(0, 9), { status: 429, headers: { 'retry-after': '9' } }])(
    'of another host, after a redirect, are not those of the first: %j',
    async (answer) => {
      const { transport } = service(({ url }) =>
        url.startsWith('https://other')
          ? answer
          : { status: 302, headers: { location: 'https://other.example.test/item' } },
      );
      const one = engineOf(ITEM, { http: { transport } });
      await one.run();
      await one.run();
      expect(waitsOf(one)).toEqual([]);
    },
  );
});

describe('limits of the embedder', () => {
  it('limit the concurrent requests of all runs', async () => {
    const { transport, open, most } = holding();
    const one = engineOf(ITEM, { http: { transport }, budget: { inFlight: 2 } });
    const runs = Array.from({ length: 5 }, () => one.run());
    await answerAll(open);
    const reports = await Promise.all(runs);
    expect(most()).toBe(2);
    expect(reports.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
    const waits = reports.flatMap(({ stats }) => stats.waits ?? []);
    expect(waits.map(({ reason, limit }) => [reason, limit])).toEqual(Array(3).fill(['in-flight', 2]));
  });

  it('pass on the slot of a caller that stops waiting', async () => {
    const { transport, open } = holding();
    const one = engineOf(ITEM, { http: { transport }, budget: { inFlight: 1 } });
    const controller = new AbortController();
    const runs = [one.run(), one.run({ signal: controller.signal }), one.run()];
    await settled();
    controller.abort(new Error('gone'));
    await expect(runs[1]).rejects.toThrow('gone');
    await answerAll(open);
    expect((await Promise.all([runs[0], runs[2]])).map((report) => report?.ok)).toEqual([true, true]);
  });

  it.each(Array.from({ length: 14 }, (_, index) => index + 1))(
    'are released by a run whose clock fails at call %d',
    async (nth) => {
      const { transport } = answering();
      const clock = createVirtualClock();
      let asked = 0;
      const now = (): number => (++asked === nth ? Number.NaN : clock.now());
      const one = engineOf(ITEM, { http: { transport }, budget: { inFlight: 1 }, clock: { ...clock, now } });
      await expect(one.run()).rejects.toMatchObject({ code: 'USAGE' });
      expect((await one.run({ signal: AbortSignal.timeout(2000) })).ok).toBe(true);
    },
  );

  it('limit the requests of a window', async () => {
    const one = engineOf(ITEM, {
      http: { transport: answering().transport },
      budget: { calls: 2, windowMs: 1000 },
    });
    for (let call = 0; call < 5; call++) await one.run();
    expect(waitsOf(one)).toEqual([1000, 1000]);
  });

  it.each([{ inFlight: 0 }, { calls: 1.5 }, { windowMs: -1 }, { perSecond: 4 }])(
    'rejects the limit %j',
    (budget) => {
      expect(() => engineOf(ITEM, { budget } as Setup)).toThrow(EngineError);
    },
  );
});

describe('the state of an API', () => {
  it('has bounded size and counts in-flight requests', () => {
    const accounts = new Map();
    const budget = new CallBudget({}, accounts);
    const busy = budget.open('https://busy.test/', '', 0);
    budget.admit(busy, 0);
    for (let host = 0; host < 5000; host++) {
      const account = budget.open(`https://h${host}.test/x`, 'c', 0);
      budget.admit(account, 0);
      const headers = host % 2 === 0 ? { 'retry-after': '999999999' } : {};
      const url = `https://h${host}.test/x`;
      budget.leave(account);
      budget.applyHeaders(account, { status: 429, headers, body: new Uint8Array(), url }, 0, 0);
    }
    expect(accounts.size).toBeLessThanOrEqual(1000);
    expect(budget.open('https://busy.test/y?z', '', 0)).toBe(busy);
  });

  it('identifies connections without their data', async () => {
    const accounts: string[] = [];
    const set = Map.prototype.set;
    Map.prototype.set = function (this: Map<unknown, unknown>, key: unknown, value: unknown) {
      if (typeof key === 'string' && key.startsWith('https://api.example.test ')) accounts.push(key);
      return set.call(this, key, value);
    };
    try {
      await engineOf(ITEM, { http: { transport: answering().transport } }).run({
        connection: { key: 'hush-hush' },
      });
    } finally {
      Map.prototype.set = set;
    }
    expect(accounts).toHaveLength(1);
    expect(accounts.join()).not.toMatch(/hush|key/);
  });

  it('is shared by the engines of a process with separate transports', async () => {
    const server = await httpServer((_request, response) => {
      response.writeHead(429, { 'retry-after': '30' }).end();
    });
    const app = defineApp({ name: 'shop', modules: { m: { communication: { url: server.origin } } } });
    const controller = new AbortController();
    const because: unknown[] = [];
    const onTrace: EngineOptions['onTrace'] = (event) => {
      if (event.kind !== 'wait') return;
      because.push(event.reason === 'budget' && event.because);
      controller.abort(new Error('seen'));
    };
    const engines = [1, 2].map(() => createEngine({ app, http: { allow: ['loopback'] }, onTrace }));
    try {
      const [first, second] = engines.map((engine) => engine.module('m'));
      expect((await first?.run())?.error?.type).toBe('RateLimitError');
      await expect(second?.run({ signal: controller.signal })).rejects.toThrow('seen');
      expect(because).toEqual(['retry-after']);
    } finally {
      await Promise.all(engines.map((engine) => engine.close()));
      await server.close();
    }
  });

  it('belongs to a stored connection even after its data change', async () => {
    let token = 0;
    const connections: ConnectionStore = {
      get: async () => ({
        ...{ component: 'c', connection: { token: `t${++token}` }, parameters: {}, metadata: undefined },
        ...{ uid: undefined, expires: undefined, oauth: undefined, common: undefined },
      }),
      save: async () => {},
    };
    const { transport } = answering({ status: 429, headers: { 'retry-after': '7' } });
    const clock = createVirtualClock();
    const app = defineApp({
      name: 'shop',
      connections: { c: { type: 'basic', communication: { url: 'https://api.example.test/me' } } },
      modules: { m: { connection: 'c', communication: { url: 'https://api.example.test' } } },
    });
    const engine = createEngine({ app, connections, http: { transport }, clock });
    for (let run = 0; run < 2; run++) await engine.module('m').run({ connection: 'mine' });
    expect([token, clock.waits]).toEqual([2, [7000]]);
  });
});

const WINDOW_MS = 1000;

/** Sends a request whenever the budget allows one, and otherwise waits for the returned delay. */
function sendAll(calls: number, gapsMs: readonly number[]): readonly number[] {
  const budget = new CallBudget({ calls, windowMs: WINDOW_MS });
  const sentMs: number[] = [];
  let nowMs = 0;
  for (const gapMs of gapsMs) {
    nowMs += gapMs;
    const account = budget.open('https://api.example.com', '', nowMs);
    for (let shortage = budget.admit(account, nowMs); shortage; shortage = budget.admit(account, nowMs)) {
      nowMs += shortage.waitMs ?? Number.NaN;
    }
    sentMs.push(nowMs);
    budget.leave(account);
  }
  return sentMs;
}

/** The most calls of any stretch as long as a window. */
function densest(sentMs: readonly number[]): number {
  return Math.max(...sentMs.map((from) => sentMs.filter((at) => at >= from && at < from + WINDOW_MS).length));
}

const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(30), fc.nat(1500)), { minLength: 1, maxLength: 300 });

describe('requests of a window', () => {
  it('never exceed the limit in any interval of that length, including across its borders', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 150 }), gaps, (calls, gapsMs) => {
        expect(densest(sendAll(calls, gapsMs))).toBeLessThanOrEqual(calls);
      }),
    );
  });

  it('are sent at once when the window has room, for up to 64 requests', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), gaps, (calls, gapsMs) => {
        const sentMs = sendAll(calls, gapsMs);
        let askedMs = 0;
        for (const [index, at] of sentMs.entries()) {
          askedMs += gapsMs[index] ?? 0;
          const before = sentMs[index - calls];
          expect(at).toBe(Math.max(askedMs, before === undefined ? askedMs : before + WINDOW_MS));
          askedMs = at;
        }
      }),
    );
  });

  it('wait at most a 64th of the window too long for more requests', () => {
    fc.assert(
      fc.property(fc.integer({ min: 65, max: 200 }), gaps, (calls, gapsMs) => {
        const sentMs = sendAll(calls, gapsMs);
        let askedMs = 0;
        for (const [index, at] of sentMs.entries()) {
          askedMs += gapsMs[index] ?? 0;
          const before = sentMs[index - calls];
          const dueMs = Math.max(askedMs, before === undefined ? askedMs : before + WINDOW_MS);
          expect(at - dueMs).toBeLessThanOrEqual(WINDOW_MS / 64);
          askedMs = at;
        }
      }),
    );
  });

  it('use constant memory for a million requests', () => {
    const window = new SlidingWindow(WINDOW_MS);
    for (let call = 0; call < 1_000_000; call++) window.add(call / 1000);
    expect(window.waitFor(1_000_001, WINDOW_MS - 1)).toBe(0);
    expect(window.waitFor(1_000_000, WINDOW_MS - 1)).toBeGreaterThan(0);
    expect(window.isEmpty(2 * WINDOW_MS)).toBe(true);
  });

  it('are dropped if the clock is set back before them', () => {
    const window = new SlidingWindow(WINDOW_MS);
    window.add(3_600_000);
    expect(window.waitFor(1, 3_600_000)).toBe(WINDOW_MS);
    expect(window.waitFor(1, 5)).toBe(0);
    window.add(5);
    expect(window.waitFor(1, 5)).toBe(WINDOW_MS);
  });
});
