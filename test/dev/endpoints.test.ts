import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, startDev, type TestDev } from './start-dev.js';

let dev: TestDev;
beforeAll(async () => {
  dev = await startDev({ prepare: addEndpoint });
});
afterAll(() => dev?.close());

const FILES = {
  communication: { url: '/books/{{parameters.isbn}}', response: { output: '{{body.book}}' } },
  input: [{ name: 'isbn', type: 'text', label: 'ISBN', required: true }],
};

function addEndpoint(root: string): void {
  const file = path.join(root, 'makecomapp.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const codeFiles = Object.fromEntries(
    Object.keys(FILES).map((part) => [part, `endpoints/${part}.iml.json`]),
  );
  const record = { label: 'Find a book', attachedAccounts: ['bookshopKey'], codeFiles };
  manifest.components.endpoint = { findBook: record };
  writeFileSync(file, JSON.stringify(manifest));
  mkdirSync(path.join(root, 'endpoints'));
  for (const [part, content] of Object.entries(FILES)) {
    writeFileSync(path.join(root, `endpoints/${part}.iml.json`), JSON.stringify(content));
  }
}

const FIND = { kind: 'endpoint', name: 'findBook', connection: 'shop' };
const ISBN = '978-0-00-000002-6';

describe('endpoints in iml dev', () => {
  it('are listed with the connections that they may use', async () => {
    expect((await dev.app()).endpoints).toEqual([
      { name: 'findBook', label: 'Find a book', connections: ['bookshopKey'] },
    ]);
  });

  it('have a form that names missing inputs', async () => {
    const form = await dev.form({ kind: 'endpoint', name: 'findBook', parameters: {} });
    expect(form).toMatchObject({
      fields: [{ name: 'isbn', label: 'ISBN', required: true }],
      problems: [{ path: 'isbn', isMissing: true }],
    });
  });

  it('run with a connection, and the run can be replayed', async () => {
    const ran = await dev.run({ ...FIND, parameters: { isbn: ISBN } });
    expect(ran).toMatchObject({ kind: 'endpoint', state: 'ok', requests: 1, bundles: 1 });
    expect(ran.documents.map(({ role }) => role)).toContain('communication');
    const asked = dev.shop.requests.length;
    const replayed = await dev.run({ ...FIND, parameters: { isbn: ISBN }, replayOf: ran.id });
    expect(replayed).toMatchObject({ state: 'ok', bundles: 1 });
    expect(dev.shop.requests).toHaveLength(asked);
  });

  it('refuse inputs that the form does not allow, without a request', async () => {
    expect(await dev.run({ ...FIND, parameters: {} })).toMatchObject({
      state: 'failed',
      requests: 0,
      error: { type: 'BundleValidationError' },
    });
  });

  it('become a case of iml test, without the key', async () => {
    const ran = await dev.run({ ...FIND, parameters: { isbn: ISBN } });
    const { text } = await dev.draft(ran.id);
    expect(JSON.parse(text)).toMatchObject({
      component: 'endpoint:findBook',
      expect: { result: { isbn: ISBN } },
    });
    expect(text).not.toContain(API_KEY);
  });
});
