import type fc from 'fast-check';

/** A fuzz target: an unlimited number of inputs, and a condition for each of them. */
export interface Target<Input> {
  readonly name: string;
  /** Plain JSON data: `spec-fixtures/hostile/found.json` stores failing inputs as printed. */
  readonly input: fc.Arbitrary<Input>;
  /** Throws if the condition does not hold. */
  readonly survive: (input: Input) => void | Promise<void>;
}

const PROTOTYPES = [Object.prototype, Array.prototype, String.prototype, Date.prototype, Function.prototype];
const MEMBER_COUNTS = PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length);

/** @throws Error where a prototype of the host has another number of members than at the start */
export function assertPrototypes(): void {
  PROTOTYPES.forEach((prototype, index) => {
    if (Reflect.ownKeys(prototype).length !== MEMBER_COUNTS[index]) {
      throw new Error(`A prototype was changed: ${Reflect.ownKeys(prototype).map(String).join(', ')}`);
    }
  });
}

/** Milliseconds this process has had a processor for: a machine that does other things makes nothing slow by this clock. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
