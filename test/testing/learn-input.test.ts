import { expect, it } from 'vitest';
import { defineApp } from '../../src/index.js';
import { learnInput } from '../../src/tools/testing/recording/collect-secrets.js';
import { createSecretBook } from '../../src/tools/testing/secrets/secret-book.js';

const SECRET = 'hunter2-of-the-sender';

it.each([
  ['application/json', `{ "password": "${SECRET}" }`],
  ['application/json', `{broken "password":"${SECRET}"`],
  ['application/x-www-form-urlencoded', `password=${SECRET}&a=1`],
  ['application/xml', `<a><password>${SECRET}</password></a>`],
  ['text/plain', `{"password":"${SECRET}"}`],
])('finds secrets in a webhook body stored as text: %s %s', (contentType, bodyText) => {
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

it('treats all data that attach stored as secret', () => {
  const book = createSecretBook();
  const app = defineApp({
    name: 'a',
    webhooks: { events: { communication: { output: "{{if(webhook.mode = 'production'; body; 1)}}" } } },
  });
  const url = 'https://hooks.example/';
  const webhook = { url, mode: 'production', ref: 'says-nothing-9f8e', list: [{ x: 'deep-7d6c5b' }], n: 7 };
  learnInput({ webhook }, { app, common: undefined, isConnectionData: false, secretFields: [] }, book);
  expect(book.secrets().map(({ value }) => value)).toEqual(['says-nothing-9f8e', 'deep-7d6c5b']);
});

it('treats input values as secret if the app sanitizes them in bodies', () => {
  const book = createSecretBook();
  const sanitize = ['request.body<parameters.note>', 'response.body< data.deep.word >', 'request.body.note'];
  const others = [
    'request.body<upper(parameters.mode)>',
    'request.body<body.a.b>',
    'request.body<parameters>',
  ];
  const communication = { log: { sanitize: [...sanitize, ...others] } };
  const app = defineApp({ name: 'a', modules: { m: { type: 'action', communication } } });
  const input = {
    parameters: { note: 'my-note-1', mode: 'says-nothing', list: ['seen'] },
    data: { deep: { word: 'w-5' } },
  };
  learnInput(input, { app, common: undefined, isConnectionData: false, secretFields: [] }, book);
  expect(book.secrets().map(({ name, value }) => [name, value])).toEqual([
    ['note', 'my-note-1'],
    ['word', 'w-5'],
  ]);
});
