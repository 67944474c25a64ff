import { Turns } from '../../src/util/turns.js';

/** Always over, and counts: how often others had their turn does not depend on the machine. */
export class CountedTurns extends Turns {
  taken = 0;

  constructor() {
    super(() => {
      this.taken++;
    });
  }

  override get isOver(): boolean {
    return true;
  }
}
