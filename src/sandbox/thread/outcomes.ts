import type { MessagePort } from 'node:worker_threads';
import type { DebugOutput } from '../../iml/environment/environment.js';
import { finishAtOnce } from '../../iml/values/work.js';
import { MAX_DEPTH } from '../codec.js';
import { cutInPieces, type Piece } from './carry.js';
import type { CallOutcome } from './messages.js';

/** Values and characters that `debug` may say in one call; of more it is said that there was more. [choice] */
const MAX_DEBUG = 4 * 1024 * 1024;
/** What each costs besides: its function and its place. */
const OVERHEAD = 100;

/** What is around a value that is handed on. */
const WRAPPERS = 4;

/** Leaves what a call says and gives for its caller. */
export class Outcomes {
  readonly #port: MessagePort;
  #pieces = 0;
  #debugLeft = MAX_DEBUG;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  tell(output: DebugOutput): void {
    if (this.#debugLeft <= 0) return;
    try {
      this.#debugLeft -= OVERHEAD + this.#leave({ debug: output }, this.#debugLeft);
    } catch {
      this.#debugLeft = 0;
    }
    if (this.#debugLeft > 0) return;
    this.#leave(
      { debug: { ...output, values: ['More was said than is handed on.'] } },
      Number.POSITIVE_INFINITY,
    );
  }

  /** @returns how many pieces were left in all */
  end(outcome: CallOutcome): number {
    // What comes out of a guest is bounded there.
    this.#leave(outcome, Number.POSITIVE_INFINITY);
    return this.#pieces;
  }

  /** @returns how long it is, see `cutInPieces` */
  #leave(outcome: CallOutcome, maxLength: number): number {
    const pieces: Piece[] = [];
    const cut = cutInPieces(outcome, maxLength, (piece) => pieces.push(piece), MAX_DEPTH + WRAPPERS);
    const length = finishAtOnce(cut);
    for (const piece of pieces) this.#port.postMessage(piece);
    this.#pieces += pieces.length;
    return length;
  }
}
