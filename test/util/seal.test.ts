import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEAL_KEY_BYTES, seal, unseal } from '../../src/util/seal.js';
import { sealInTurns, unsealInTurns } from '../../src/util/seal-in-turns.js';
import { CountedTurns } from './counted-turns.js';

const key = randomBytes(SEAL_KEY_BYTES);

describe('seal', () => {
  it('opens with the same key and purpose, and with no other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, purpose) => {
        const sealed = seal(text, key, purpose);
        expect(sealed).toMatch(/^[\w.-]+$/);
        expect(unseal(sealed, key, purpose)).toBe(Buffer.from(text).toString());
        expect(unseal(sealed, key, `${purpose}x`)).toBeUndefined();
        expect(unseal(sealed, randomBytes(SEAL_KEY_BYTES), purpose)).toBeUndefined();
      }),
    );
  });

  it('does not open once a character was changed, added or taken away', () => {
    const sealed = seal('a secret', key, 'test');
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      // The last character of base64url may hold bits that stand for nothing.
      const isSame = Buffer.from(changed.split('.').at(-1) ?? '', 'base64url').equals(
        Buffer.from(sealed.split('.').at(-1) ?? '', 'base64url'),
      );
      const opened = unseal(changed, key, 'test');
      if (opened !== undefined) expect(isSame && opened === 'a secret').toBe(true);
    }
    expect(unseal(sealed.slice(0, -4), key, 'test')).toBeUndefined();
    expect(unseal(`${sealed}.x`, key, 'test')).toBeUndefined();
  });

  it('writes the same text in another way each time', () => {
    expect(seal('x', key, 'test')).not.toBe(seal('x', key, 'test'));
  });
});

describe('seal in turns', () => {
  it('writes what unseal opens and opens what seal writes, wherever a character is cut', async () => {
    const unit = fc.constantFrom('a', 'é', '漢', '😀', '\ud83d', '\ude00');
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { minLength: 1, maxLength: 7 }), async (units) => {
        const text = units.join('').repeat(40_000);
        const expected = Buffer.from(text).toString();
        expect(unseal(await sealInTurns(text, key, 'test'), key, 'test')).toBe(expected);
        const opened = await unsealInTurns(seal(text, key, 'test'), key, 'test');
        expect(opened?.toString()).toBe(expected);
      }),
      { numRuns: 20 },
    );
  });

  it('lets others have their turn every 128 Ki characters or bytes', async () => {
    const turns = new CountedTurns();
    const sealed = await sealInTurns('x'.repeat(1024 * 1024), key, 'test', turns);
    expect(turns.taken).toBe(9);
    await unsealInTurns(sealed, key, 'test', turns);
    expect(turns.taken).toBe(17);
  });

  it('opens nothing that was changed, or sealed with another key', async () => {
    const sealed = await sealInTurns('x'.repeat(300_000), key, 'test');
    const changed = `${sealed.slice(0, 200_000)}${sealed[200_000] === 'A' ? 'B' : 'A'}${sealed.slice(200_001)}`;
    expect(await unsealInTurns(changed, key, 'test')).toBeUndefined();
    expect(await unsealInTurns(sealed, randomBytes(SEAL_KEY_BYTES), 'test')).toBeUndefined();
    expect(await unsealInTurns('v1.a.b', key, 'test')).toBeUndefined();
  });
});
