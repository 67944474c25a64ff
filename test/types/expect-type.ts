/** Whether two types are the same, `any` and modifiers of members included. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Does not compile unless `T` is `true`; there is nothing to run. */
export type Expect<T extends true> = T;
