import { describe, expect, it } from 'vitest';
import { createSecretBook } from '../../src/tools/testing/secrets/secret-book.js';

const secret = (number: number): string => `secret-number-${number}`;

describe('a book of secrets', () => {
  it('numbers secrets with the same name, and never uses a name twice', () => {
    const book = createSecretBook();
    book.enter('token-3', 'another-secret');
    for (let number = 1; number <= 2000; number++) book.enter('token', secret(number));
    const names = book.secrets().map(({ name }) => name);
    expect(names.slice(0, 5)).toEqual(['token-3', 'token', 'token-2', 'token-4', 'token-5']);
    expect(names.at(-1)).toBe('token-2001');
    expect(new Set(names).size).toBe(2001);
  });

  it('refuses to search a long text for many secrets', () => {
    const book = createSecretBook();
    for (let number = 0; number < 500; number++) book.enter('token', secret(number));
    const text = (length: number): string => secret(7).padEnd(length, '.');
    expect(book.clean(text(20_000))).not.toContain('number-7');
    expect(() => book.clean(text(2_000_001))).toThrow(expect.objectContaining({ code: 'RECORDING_REFUSED' }));
    // A text without secrets is searched once for all of them.
    expect(book.clean('.'.repeat(2_000_001))).toHaveLength(2_000_001);
  });
});
