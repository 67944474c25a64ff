import { expect, it } from 'vitest';
import { defineApp } from '../../src/index.js';
import { learnInput } from '../../src/tools/testing/recording/collect-secrets.js';
import { createSecretBook } from '../../src/tools/testing/secrets/secret-book.js';

const SECRET = 'hunter2-of-the-sender';

function part(name: string, content: string, type = 'text/plain'): string {
  const head = `content-disposition: form-data; name="${name}"\r\ncontent-type: ${type}`;
  return `--b\r\n${head}\r\n\r\n${content}\r\n--b--\r\n`;
}

it.each([
  ['application/json', `{ "password": "${SECRET}" }`],
  ['application/json', `{broken "password":"${SECRET}"`],
  ['application/x-www-form-urlencoded', `password=${SECRET}&a=1`],
  ['application/xml', `<a><password>${SECRET}</password></a>`],
  ['text/plain', `{"password":"${SECRET}"}`],
  ['multipart/form-data; boundary=b', part('password', SECRET)],
  ['multipart/form-data; boundary=b', part('body', `{"password":"${SECRET}"}`, 'application/json')],
  ['multipart/form-data; boundary=b', part('password', SECRET).slice(0, -8)],
])('finds secrets in a webhook body stored as text: %s %s', (contentType, bodyText) => {
  let book = createSecretBook();
  const request = { method: 'POST', headers: { 'content-type': contentType } };
  const bodyBase64 = Buffer.from(bodyText).toString('base64');
  const input = {
    app: defineApp({ name: 'a' }),
    common: undefined,
    isConnectionData: false,
    secretFields: [],
  };
  for (const body of [{ bodyText }, { bodyBase64 }]) {
    learnInput({ request: { ...request, ...body } }, input, book);
    expect(book.secrets().map(({ value }) => value)).toEqual([SECRET]);
    expect(book.isIn(SECRET)).toBe(true);
    book = createSecretBook();
  }
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
