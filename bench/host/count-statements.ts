import type { HostReader, HostStore } from '../../src/host/store/tables.js';

/** A store that counts what it is asked: a statement for each call, and one each for the begin and end of transactions. */
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
  // A copy: what is set on a proxy is set on what stands behind it.
  return { count: () => count, store: { ...counting({ ...store }), transaction } };
}
