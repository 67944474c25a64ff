import type { Turns } from '../../util/turns.js';
import type { TraceEvent, TraceListener } from './trace.js';

/**
 * The events of a run, in order. Cleaning what was sent and received takes as long as reading a small page, and most
 * traces are never read: an event is written when a listener waits for it, or when somebody reads the events.
 */
export class TraceLog {
  readonly #listener: TraceListener | undefined;
  // Hard private: what is not written yet holds secrets.
  readonly #entries: (TraceEvent | (() => TraceEvent))[] = [];

  constructor(listener: TraceListener | undefined) {
    this.#listener = listener;
  }

  add(write: () => TraceEvent): void {
    if (this.#listener === undefined) {
      this.#entries.push(write);
      return;
    }
    const event = write();
    this.#entries.push(event);
    this.#listener(event);
  }

  /** Writes what is not written yet, so that reading the events takes no time. */
  async writeInTurns(turns: Turns): Promise<void> {
    for (const [index, entry] of this.#entries.entries()) {
      if (typeof entry === 'function') this.#entries[index] = entry();
      if (turns.isOver) await turns.next();
    }
  }

  get events(): readonly TraceEvent[] {
    const entries = this.#entries;
    for (const [index, entry] of entries.entries()) {
      if (typeof entry === 'function') entries[index] = entry();
    }
    return entries as TraceEvent[];
  }
}
