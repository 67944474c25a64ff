import { describe, expect, it } from 'vitest';
import { cli } from './fake-io.js';

/** What steers a terminal or turns the direction of text. */
const STEERING = [
  ...['\u0000', '\u0007', '\u001b', '\u007f', '\u0080', '\u009b', '\u009f'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'],
  // What some take for the end of a line, and what nobody sees.
  ...['\u2028', '\u2029', '\u180e', '\u200b', '\u2060', '\u2064', '\u206a', '\ufeff', '\ufff9', '\u{e0041}'],
];

describe('JSON that is printed', () => {
  it.each([{ terminal: true }, { terminal: false }])(
    'holds nothing that steers a terminal: %j',
    async (io) => {
      const value = { text: STEERING.join('x'), [`name${STEERING.join('')}`]: 1, lines: 'a\nb\tc' };
      for (const form of [['--json'], []]) {
        const { out } = await cli(['eval', '{{v}}', '--context', JSON.stringify({ v: value }), ...form], io);
        for (const char of STEERING) expect(out).not.toContain(char);
        if (form.length > 0 || !io.terminal) expect(JSON.parse(out)).toEqual(value);
      }
    },
  );

  it('keeps joiners where they mean something, and shows them where they hide', async () => {
    const kept = 'می\u200cخواهم 👩\u200d💻 क्\u200dष';
    const { out } = await cli([
      'eval',
      '{{v}}',
      '--context',
      JSON.stringify({ v: `${kept} adm\u200din \u200cx` }),
      '--json',
    ]);
    expect(out).toContain(kept);
    expect(out).toContain('adm\\u200din \\u200cx');
  });
});
