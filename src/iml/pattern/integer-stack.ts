import { limitError } from '../../errors/iml-error.js';

const FIRST_CAPACITY = 1024;

/** 64 MB. */
const MAX_CAPACITY = 2 ** 24;

/** A growing array of 32-bit integers with an end that moves. */
export class IntegerStack {
  length = 0;
  private items = new Int32Array(FIRST_CAPACITY);

  /**
   * Makes room for further items.
   * @throws IML_LIMIT
   */
  reserve(count: number): void {
    if (this.length + count <= this.items.length) return;
    if (this.items.length >= MAX_CAPACITY)
      throw limitError('A regular expression needs too much memory for this text.');
    const larger = new Int32Array(this.items.length * 2);
    larger.set(this.items);
    this.items = larger;
  }

  at(index: number): number {
    return this.items[index] ?? 0;
  }

  set(index: number, item: number): void {
    this.items[index] = item;
  }
}
