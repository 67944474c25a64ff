import { describe, expect, it } from 'vitest';
import { cli } from './fake-io.js';

/** Control sequences and characters that change the text direction. */
const STEERING = [
  ...['\u0000', '\u0007', '\u001b', '\u007f', '\u0080', '\u009b', '\u009f'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'],
  // Characters that some programs treat as line ends, and invisible characters.
  ...['\u2028', '\u2029', '\u180e', '\u200b', '\u2060', '\u2064', '\u206a', '\ufeff', '\ufff9', '\u{e0041}'],
  // Blanks of letters, and formats that show nothing.
  ...[
    '\u00ad',
    '\u034f',
    '\u115f',
    '\u1160',
    '\u17b4',
    '\u180b',
    '\u3164',
    '\uffa0',
    '\u{1bca0}',
    '\u{1d173}',
  ],
  // Unassigned characters, and invisible characters of other categories.
  ...['\u{e0085}', '\u{e01f5}', '\u2065', '\ufff5', '\u{13430}', '\u{13440}', '\u2800', '\u{1d159}'],
  // Variation selectors without a base character.
  ...['\ufe00', '\ufe0f', '\u{e0100}', '\u{e01ef}'],
];

describe('printed JSON', () => {
  it.each([{ terminal: true }, { terminal: false }])('contains no control characters: %j', async (io) => {
    const value = { text: STEERING.join('x'), [`name${STEERING.join('x')}`]: 1, lines: 'a\nb\tc' };
    for (const form of [['--json'], []]) {
      const { out } = await cli(['eval', '{{v}}', '--context', JSON.stringify({ v: value }), ...form], io);
      for (const char of STEERING) expect(out).not.toContain(char);
      if (form.length > 0 || !io.terminal) expect(JSON.parse(out)).toEqual(value);
    }
  });

  it('keeps meaningful joiners and escapes hidden ones', async () => {
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

  it('escapes several joiners after a letter', async () => {
    const run = '\u200c\u200d'.repeat(24);
    const { out } = await cli(['eval', '{{v}}', '--context', JSON.stringify({ v: `क${run}ख` }), '--json']);
    expect(out).not.toMatch(/[\u200c\u200d]/);
    expect(JSON.parse(out)).toBe(`क${run}ख`);
  });

  it('keeps one variation selector after an emoji, and escapes further ones', async () => {
    const kept = '❤\ufe0f 1\ufe0f\u20e3 ©\ufe0f 葛\u{e0100} 𠀀\u{e0101} 👁\ufe0f\u200d🗨\ufe0f';
    const hidden = '❤\ufe0f\ufe01 葛\u{e0100}\u{e0101} 葛\u{e0100}\ufe00 😀\u{e0120}';
    const { out } = await cli([
      'eval',
      '{{v}}',
      '--context',
      JSON.stringify({ v: `${kept} ${hidden}` }),
      '--json',
    ]);
    expect(out).toContain(kept);
    expect(out).toContain('❤\ufe0f\\ufe01 葛\u{e0100}\\udb40\\udd01 葛\u{e0100}\\ufe00 😀\\udb40\\udd20');
  });
});
