import { describe, expect, it } from 'vitest';
import { compile } from '../../src/iml/compile.js';
import { DEFAULT_LIMITS } from '../../src/run/limits/limits.js';
import { Run, RunContext } from '../../src/run/scope/run-context.js';
import { createVirtualClock } from '../../src/testing/exchanges/virtual-clock.js';

function startWith(names: Record<string, unknown>): RunContext {
  const settings = {
    transport: () => Promise.reject(new Error('Nothing is sent.')),
    clock: createVirtualClock(),
    random: () => 0,
    limits: DEFAULT_LIMITS,
    onPageLoop: 'warn',
    trace: 'summary',
    onTrace: undefined,
  } as const;
  const rules = { timeoutMs: 1000, callEndpoint: undefined, keepsHost: false };
  return RunContext.start(new Run(settings, rules, []), names);
}

describe('a place in a run', () => {
  it('keeps its names when the next one is derived from it', () => {
    const before = startWith({ body: 1, temp: { a: 1 } });
    const after = before.seeing({ body: 2 });
    expect([before.scope['body'], after.scope['body'], after.scope['temp']]).toEqual([1, 2, { a: 1 }]);
  });

  it('keeps names of an embedder through every step', () => {
    const further = { shop: 'x', 'my name': 2 };
    const last = startWith(further).at({ page: 2 }).seeing({ body: 1 }).apart('find', { body: 2 });
    expect(last.scope).toMatchObject({ ...further, body: 2 });
  });

  it('sees one item after the other without showing them to anybody else', () => {
    const around = startWith({ item: 'own' });
    const { context, show } = around.forItems();
    const seen = ['a', 'b'].map((item) => {
      show(item);
      return compile('{{item}}')(context.scope);
    });
    expect([seen, around.scope['item']]).toEqual([['a', 'b'], 'own']);
  });

  it('tells of what is missing with its own position, wherever it was derived from', () => {
    const second = startWith({}).at({ page: 2 }).seeing({ body: {} });
    compile('x{{body.gone}}')(second.scope);
    expect(second.trace.events).toMatchObject([{ kind: 'missing', expression: 'body.gone', page: 2 }]);
  });

  it('has no name that a run did not give it', () =>
    expect(Object.entries(startWith({ body: 1 }).scope).filter(([, value]) => value !== undefined)).toEqual([
      ['body', 1],
    ]));
});
