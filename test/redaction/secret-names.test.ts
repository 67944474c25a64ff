import { expect, it } from 'vitest';
import { mayNameSecret } from '../../src/redaction/secret-names.js';

it.each([
  '{"access_token":"x"}',
  '[{"a":{"b":[1,{"Api-Key" \n : 1}]}}]',
  '  {"a:b":1,"sid":2}',
  '{"tok\\u0065n":1}',
  '{"a":"{\\"token\\":1}"}',
  '{"password\\"":1}',
  'access_token=x',
  '<token>x</token>',
])('a text may name a secret: %s', (text) => {
  expect(mayNameSecret(text)).toBe(true);
});

it.each([
  '',
  '{}',
  '[1,"token",2]',
  '{"a":"token","at":"10:30","b":"x:y"}',
  '{"next_page_token":"x","":1}',
  '[":"]',
])('a text names none: %s', (text) => {
  expect(mayNameSecret(text)).toBe(false);
});
