import { IntegerStack } from './integer-stack.js';

/** What an unset register holds. */
export const UNSET = -1;

/** Positions a matcher writes down, with a trail of what they held before, so that a failed way can be undone. */
export class Registers {
  private readonly values: Int32Array;
  /** Pairs of a register and its earlier value. */
  private readonly trail = new IntegerStack();

  constructor(count: number) {
    this.values = new Int32Array(count).fill(UNSET);
  }

  get count(): number {
    return this.values.length;
  }

  /** How much can be undone; an argument for `unwind`. */
  get mark(): number {
    return this.trail.length;
  }

  reset(): void {
    this.values.fill(UNSET);
    this.trail.length = 0;
  }

  read(register: number): number {
    return this.values[register] ?? UNSET;
  }

  /** @throws IML_LIMIT if the trail gets too long. */
  write(register: number, value: number): void {
    const old = this.read(register);
    if (old === value) return;
    const { trail } = this;
    trail.reserve(2);
    trail.set(trail.length, register);
    trail.set(trail.length + 1, old);
    trail.length += 2;
    this.values[register] = value;
  }

  unwind(mark: number): void {
    const { trail } = this;
    while (trail.length > mark) {
      trail.length -= 2;
      this.values[trail.at(trail.length)] = trail.at(trail.length + 1);
    }
  }
}
