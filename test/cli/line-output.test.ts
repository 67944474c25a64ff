import { describe, expect, it } from 'vitest';
import { createLineOutput } from '../../src/tools/cli/commands/serve.js';

/** An output whose reader reads lines on request. */
function stalled() {
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(() => {
        taken.push(text);
        resolve();
      });
    });
  const read = async (): Promise<void> => {
    for (const take of waiting.splice(0)) take();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { output: { isTerminal: false, columns: undefined, write }, taken, waiting, read };
}

describe('lines of standard output', () => {
  it('are buffered up to a mebibyte while nothing reads them; further lines are counted', async () => {
    const { output, taken, waiting, read } = stalled();
    const told: number[] = [];
    const say = createLineOutput(output, (count) => told.push(count));
    const line = `${'x'.repeat(1023)}\n`;
    for (let n = 0; n < 5000; n++) say(line);
    expect([waiting.length, told]).toEqual([1024, [0]]);
    await read();
    expect([taken.length, told]).toEqual([1024, [0, 5000 - 1024]]);
    say('again\n');
    await read();
    expect(taken.at(-1)).toBe('again\n');
  });

  it('are written completely, and a closed reader is ignored', async () => {
    const { output, taken, read } = stalled();
    const long = 'x'.repeat(3 * 1024 * 1024);
    createLineOutput(output, () => {})(long);
    await read();
    expect(taken).toEqual([long]);
    const gone = { ...output, write: () => Promise.reject(new Error('EPIPE')) };
    const say = createLineOutput(gone, () => {});
    say('a');
    await new Promise((resolve) => setImmediate(resolve));
    say('b');
  });
});
