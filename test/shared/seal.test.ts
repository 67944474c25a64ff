import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEAL_KEY_BYTES, seal, unseal } from '../../src/shared/seal.js';

const key = randomBytes(SEAL_KEY_BYTES);

describe('seal', () => {
  it('opens with the same key and purpose only', () => {
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

  it('does not open after any change', () => {
    const sealed = seal('a secret', key, 'test');
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      // The last character of base64url may contain unused bits.
      const isSame = Buffer.from(changed.split('.').at(-1) ?? '', 'base64url').equals(
        Buffer.from(sealed.split('.').at(-1) ?? '', 'base64url'),
      );
      const opened = unseal(changed, key, 'test');
      if (opened !== undefined) expect(isSame && opened === 'a secret').toBe(true);
    }
    expect(unseal(sealed.slice(0, -4), key, 'test')).toBeUndefined();
    expect(unseal(`${sealed}.x`, key, 'test')).toBeUndefined();
  });

  it('produces different text each time', () => {
    expect(seal('x', key, 'test')).not.toBe(seal('x', key, 'test'));
  });
});
