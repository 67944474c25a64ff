import { describe, expect, it } from 'vitest';
import { compile } from '../../src/iml/compile.js';
import { contextOf } from './context-of.js';

describe('a place in a run', () => {
  it('keeps its names when the next one is derived from it', () => {
    const before = contextOf({ body: 1, temp: { a: 1 } });
    const after = before.seeing({ body: 2 });
    expect([before.scope['body'], after.scope['body'], after.scope['temp']]).toEqual([1, 2, { a: 1 }]);
  });

  it('keeps names of an embedder through every step', () => {
    const further = { shop: 'x', 'my name': 2 };
    const last = contextOf(further).at({ page: 2 }).seeing({ body: 1 }).apart('find', { body: 2 }, false);
    expect(last.scope).toMatchObject({ ...further, body: 2 });
  });

  it('sees one item after the other without showing them to anybody else', () => {
    const around = contextOf({ item: 'own' });
    const { context, show } = around.forItems();
    const seen = ['a', 'b'].map((item) => {
      show(item);
      return compile('{{item}}')(context.scope);
    });
    expect([seen, around.scope['item']]).toEqual([['a', 'b'], 'own']);
  });

  it('tells of what is missing with its own position, wherever it was derived from', () => {
    const second = contextOf({}).at({ page: 2 }).seeing({ body: {} });
    compile('x{{body.gone}}')(second.scope);
    expect(second.trace.events).toMatchObject([{ kind: 'missing', expression: 'body.gone', page: 2 }]);
  });

  it('has no name that a run did not give it', () =>
    expect(Object.entries(contextOf({ body: 1 }).scope).filter(([, value]) => value !== undefined)).toEqual([
      ['body', 1],
    ]));
});
