import type { Output } from '../io.js';

/** Characters in the queue of unread output. */
const MAX_WAITING = 1024 * 1024;

/**
 * Writes lines without waiting. Lines that do not fit into the queue are dropped, and a closed reader changes
 * nothing.
 *
 * @param onLost called with the number of dropped lines when output is read again; with 0 for the first dropped line
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
