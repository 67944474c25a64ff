import type { HostReader, HostStore } from '../../src/host/store/tables.js';

/** Wraps a store and counts statements: one per call, and two per transaction. */
export function countStatements(store: HostStore): {
  readonly store: HostStore;
  readonly count: () => number;
} {
  let count = 0;
  const counting = <R extends HostReader>(reader: R): R =>
    new Proxy(reader, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function' || name === 'transaction' || name === 'close' || name === 'shrink')
          return member;
        return (...args: unknown[]): unknown => {
          count++;
          return Reflect.apply(member, target, args);
        };
      },
    });
  const transaction: HostStore['transaction'] = (work, options) => {
    count += 2;
    return store.transaction((writer) => work(counting(writer)), options);
  };
  // A copy, because assignments to a proxy change its target.
  return { count: () => count, store: { ...counting({ ...store }), transaction } };
}
