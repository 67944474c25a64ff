import { describe, expect, it } from 'vitest';
import {
  createItemContext,
  endpointContext,
  withPosition,
  withVariables,
} from '../../src/engine/run/run-context.js';
import { compile } from '../../src/language/index.js';
import { contextOf } from './context-of.js';

describe('a run context', () => {
  it('keeps its variables if another context is derived from it', () => {
    const before = contextOf({ body: 1, temp: { a: 1 } });
    const after = withVariables(before, { body: 2 });
    expect([before.scope['body'], after.scope['body'], after.scope['temp']]).toEqual([1, 2, { a: 1 }]);
  });

  it('keeps the variables of an embedder in every derived context', () => {
    const further = { shop: 'x', 'my name': 2 };
    const page = withVariables(withPosition(contextOf(further), { page: 2 }), { body: 1 });
    const last = endpointContext(page, 'find', { body: 2 }, false);
    expect(last.scope).toMatchObject({ ...further, body: 2 });
  });

  it('shows one item after the other in the item context only', () => {
    const around = contextOf({ item: 'own' });
    const { itemContext, setItem } = createItemContext(around);
    const seen = ['a', 'b'].map((item) => {
      setItem(item);
      return compile('{{item}}')(itemContext.scope);
    });
    expect([seen, around.scope['item']]).toEqual([['a', 'b'], 'own']);
  });

  it('reports a missing value with its own position', () => {
    const second = withVariables(withPosition(contextOf({}), { page: 2 }), { body: {} });
    compile('x{{body.gone}}')(second.scope);
    expect(second.run.log.events).toMatchObject([{ kind: 'missing', expression: 'body.gone', page: 2 }]);
  });

  it('has only the variables of the run', () =>
    expect(Object.entries(contextOf({ body: 1 }).scope).filter(([, value]) => value !== undefined)).toEqual([
      ['body', 1],
    ]));
});
