import { expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { learnInput } from '../../src/testing/recording/learn-input.js';
import { createSecretBook } from '../../src/testing/secrets/secret-book.js';

const SECRET = 'hunter2-of-the-sender';

it.each([
  ['application/json', `{ "password": "${SECRET}" }`],
  ['application/json', `{broken "password":"${SECRET}"`],
  ['application/x-www-form-urlencoded', `password=${SECRET}&a=1`],
  ['application/xml', `<a><password>${SECRET}</password></a>`],
  ['text/plain', `{"password":"${SECRET}"}`],
])('finds secrets in the body of a call that is kept as text: %s %s', (contentType, bodyText) => {
  const book = createSecretBook();
  const request = { method: 'POST', headers: { 'content-type': contentType }, bodyText };
  const input = {
    app: defineApp({ name: 'a' }),
    common: undefined,
    isConnectionData: false,
    secretFields: [],
  };
  learnInput({ request }, input, book);
  expect(book.isIn(SECRET)).toBe(true);
});
