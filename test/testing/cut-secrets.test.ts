import { expect, it } from 'vitest';
import { maskValue } from '../../src/testing/secrets/mask-value.js';
import { createSecretBook } from '../../src/testing/secrets/secret-book.js';

// Line 10 of the findings: what is written to a case or a HAR holds no half of a secret either.

const SECRET = 'kEy-Canary"<&5f3e9b';
const [FIRST, SECOND] = [SECRET.slice(0, 9), SECRET.slice(9)];

it.each([
  ['items of a list', { halves: [FIRST, SECOND] }],
  ['members', { a: FIRST, b: SECOND }],
  [
    'one member of several records',
    [
      { id: 'x', part: FIRST },
      { id: 'y', part: SECOND },
    ],
  ],
  ['texts that say more', { a: `it begins ${FIRST}`, b: `${SECOND} and ends` }],
])('a secret cut into %s is taken out', (_, value) => {
  const book = createSecretBook();
  book.enter('key', SECRET);
  const masked = JSON.stringify(maskValue(value, book));
  for (const half of [FIRST, SECOND]) expect(masked).not.toContain(JSON.stringify(half).slice(1, -1));
});

it('what only begins as one does is left as it is', () => {
  const book = createSecretBook();
  book.enter('key', SECRET);
  const value = { halves: [FIRST, 'something else'], whole: `${FIRST} ${SECOND}` };
  expect(maskValue(value, book)).toEqual(value);
});
