import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { treatTags } from '../../src/parameters/check/empty-value.js';

const text = fc.string({ unit: fc.constantFrom('<', '>', 'b', '/', '!', ' ', '\ud800', 'é') });

describe('treatTags', () => {
  it('removes comments and closing tags', () => {
    expect(treatTags('a<!-- x --></p>b<br/>', 'strip')).toBe('ab');
  });

  it('leaves no tag in any text', () => {
    fc.assert(
      fc.property(text, (value) => {
        const stripped = treatTags(value, 'strip');
        expect(stripped).not.toMatch(/<[a-z/!?][^>]*>/i);
        expect(treatTags(stripped, 'strip')).toBe(stripped);
      }),
    );
  });

  it('leaves no start of a tag with stripall', () => {
    fc.assert(fc.property(text, (value) => !/<[a-z/!?]/i.test(treatTags(value, 'stripall'))));
  });

  it('leaves no markup with escape', () => {
    fc.assert(fc.property(text, (value) => !/[<>]/.test(treatTags(value, 'escape'))));
  });

  it('takes linear time', () => {
    expect(treatTags('<b'.repeat(500_000), 'stripall')).toBe('');
    expect(treatTags(`${'<'.repeat(500_000)}${'b>'.repeat(500_000)}`, 'strip')).toBe('');
  });
});
