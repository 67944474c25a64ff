import type { Output } from '../io.js';

/** Characters that may wait for somebody to read them. */
const MAX_WAITING = 1024 * 1024;

/**
 * Writes lines of work that goes on: nobody waits for them, and whoever stops reading stops nothing. Lines that come
 * while too much waits are left out.
 *
 * @param onLost is told how many lines are missing, once lines are read again, or at the first one with 0
 */
export function createLineOutput(output: Output, onLost: (count: number) => void): (line: string) => void {
  let waiting = 0;
  let lost = 0;
  return (line) => {
    if (waiting > 0 && waiting + line.length > MAX_WAITING) {
      if (lost++ === 0) onLost(0);
      return;
    }
    waiting += line.length;
    output
      .write(line)
      .catch(() => {})
      .finally(() => {
        waiting -= line.length;
        if (lost === 0 || waiting > 0) return;
        const count = lost;
        lost = 0;
        onLost(count);
      });
  };
}
