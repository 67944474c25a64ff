import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { UserInterruption } from '../../src/tools/cli/io.js';
import { askTerminal } from '../../src/tools/cli/process-io.js';

/** A user who types after each prompt. */
function person(types: string): {
  terminal: { input: PassThrough; output: PassThrough };
  shown: () => string;
} {
  const terminal = { input: new PassThrough(), output: new PassThrough() };
  let shown = '';
  terminal.output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  terminal.output.once('data', () => terminal.input.write(types));
  return { terminal, shown: () => shown };
}

describe('askTerminal', () => {
  it('shows what is typed', async () => {
    const { terminal, shown } = person('Prague\r');
    expect(await askTerminal('City: ', false, terminal)).toBe('Prague');
    expect(shown()).toContain('City: ');
    expect(shown()).toContain('Prague');
  });

  it.each(['hush-hush\r', 'hush-hush\n', 'hush-hushX\u007f\r'])(
    'shows nothing of a hidden answer: %j',
    async (types) => {
      const { terminal, shown } = person(types);
      expect(await askTerminal('Key: ', true, terminal)).toBe('hush-hush');
      expect(shown()).toBe('Key: \n');
    },
  );

  it('returns undefined at the end of input', async () => {
    expect(await askTerminal('Key: ', true, person('\u0004').terminal)).toBeUndefined();
    const { terminal } = person('');
    terminal.output.once('data', () => terminal.input.end());
    expect(await askTerminal('Key: ', true, terminal)).toBeUndefined();
  });

  it('ends with Ctrl-C, also after other input', async () => {
    const { terminal, shown } = person('hush\u0003');
    await expect(askTerminal('Key: ', true, terminal)).rejects.toBeInstanceOf(UserInterruption);
    expect(shown()).not.toContain('hush');
  });
});
