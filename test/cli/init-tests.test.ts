import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CORPUS, isInCorpus } from '../corpus.js';
import { cli } from './fake-io.js';

const APPS = [
  'fonts',
  'postbox',
  'warehouse',
  'HedyAI__make-app-hedy',
  'letmepost__make-app-letmepost',
  'Linked-API__linkedapi-make/src',
  'sudomock__sudomock-make-app/src/sudomock',
  'Ichy77__Open-Source-Make-Apps/src/openrouter',
].filter(isInCorpus);

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'iml-init-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const BOOKSHOP = path.resolve(import.meta.dirname, '../../spec-fixtures/bookshop');

function copy(from: string): void {
  cpSync(from, folder, { recursive: true, mode: 0 });
}

function write(files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), JSON.stringify(content));
  }
}

function manifest(module: object, rpc: object = {}): object {
  return { fileVersion: 1, generalCodeFiles: {}, components: { module, rpc } };
}

describe('iml init tests', () => {
  it('writes a passing test for each component of the bookshop, and nothing twice', async () => {
    copy(BOOKSHOP);
    const made = await cli(['init', 'tests'], { cwd: folder });
    expect(made).toMatchObject({ code: 0, err: expect.stringMatching(/^\d+ tests? written/) });
    const tested = await cli(['test'], { cwd: folder });
    expect(tested.out).toMatch(/^7 passed in /);
    expect(tested.code).toBe(0);
    const files = readdirSync(path.join(folder, 'tests'), { recursive: true, encoding: 'utf8' });
    const texts = files.filter((file) => file.endsWith('.json'));
    expect(texts.length).toBeGreaterThan(3);
    expect(readFileSync(path.join(folder, 'tests', texts[0] ?? ''), 'utf8')).toContain('"$schema"');
    const again = await cli(['init', 'tests', '.'], { cwd: folder });
    expect(again).toMatchObject({ code: 0, out: '', err: 'Every component has a test.\n' });
  });

  it('recommends a command that can record the component', async () => {
    const call = { communication: 'a.json' };
    const app = {
      fileVersion: 1,
      generalCodeFiles: {},
      components: {
        connection: {
          key: { connectionType: 'basic', codeFiles: call },
          sign: { connectionType: 'oauth', codeFiles: { communication: 'oauth.json' } },
        },
        webhook: { hook: { webhookType: 'web', codeFiles: { communication: 'hook.json' } } },
      },
    };
    write({
      'makecomapp.json': app,
      'a.json': { url: 'https://api.example.com/me' },
      'oauth.json': { authorize: { url: 'https://api.example.com/authorize' }, token: { url: '/token' } },
      'hook.json': { output: '{{body}}' },
    });
    await cli(['init', 'tests'], { cwd: folder });
    const noteOf = (name: string) =>
      readFileSync(path.join(folder, `tests/${name}/${name}.test.json`), 'utf8').split('\n', 1)[0];
    expect(noteOf('key')).toContain('run: iml test --record-cases --connection NAME');
    expect(noteOf('sign')).toContain('run: iml connect sign --record FILE');
    expect(noteOf('hook')).toContain('run: iml webhook hook --record FILE');
  });

  it('marks a case as todo if the run with generated responses fails', async () => {
    write({
      'makecomapp.json': manifest({
        getOrder: { moduleType: 'action', codeFiles: { communication: 'a.json' } },
      }),
      'a.json': {
        url: 'https://api.example.com/',
        response: { valid: '{{body.id = 2}}', output: '{{body}}' },
      },
    });
    const { out, code } = await cli(['init', 'tests'], { cwd: folder });
    expect({ out, code }).toEqual({ out: expect.stringContaining('todo: its generated responses'), code: 0 });
    const tested = await cli(['test'], { cwd: folder });
    expect(tested).toMatchObject({ code: 2, out: expect.stringMatching(/0 passed, 1 todo in/) });
    const file = path.join(folder, 'tests/getOrder/getOrder.test.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"todo": .*/, ''));
    expect(await cli(['test'], { cwd: folder })).toMatchObject({ out: expect.stringMatching(/^1 passed/) });
  });

  it('makes up an object where the output of a module is a member of the response', async () => {
    write({
      'makecomapp.json': manifest({
        getOrder: { moduleType: 'action', codeFiles: { communication: 'a.json', samples: 's.json' } },
      }),
      'a.json': { url: 'https://api.example.com/', response: { output: '{{body.order}}' } },
      's.json': { number: 7 },
    });
    expect(await cli(['init', 'tests'], { cwd: folder })).toMatchObject({
      code: 0,
      out: expect.not.stringContaining('todo'),
    });
    const text = readFileSync(path.join(folder, 'tests/getOrder/getOrder.test.json'), 'utf8');
    const { expect: expected } = JSON.parse(text.slice(text.indexOf('{')));
    expect(expected).toEqual({ bundles: [{ number: 7 }] });
  });

  it('writes different files for components with one name, and fills in addresses but no optional date', async () => {
    const params = [
      { name: 'path', type: 'text', required: true },
      { name: 'since', type: 'date', default: '2026-01-01T00:00:00.000Z' },
    ];
    const response = { output: { id: '{{body.id}}' } };
    write({
      'makecomapp.json': manifest(
        {
          orders: { moduleType: 'action', codeFiles: { communication: 'a.json', mappableParams: 'p.json' } },
        },
        { orders: { codeFiles: { communication: 'r.json' } } },
      ),
      'a.json': { url: 'https://api.example.com{{parameters.path}}', response },
      'p.json': params,
      'r.json': { url: 'https://api.example.com/', response },
    });
    expect(await cli(['init', 'tests'], { cwd: folder })).toMatchObject({
      err: expect.stringMatching(/^2 tests/),
    });
    expect(readdirSync(path.join(folder, 'tests')).toSorted()).toEqual(['orders', 'orders-rpc']);
    const text = readFileSync(path.join(folder, 'tests/orders/orders.test.json'), 'utf8');
    expect(text).toContain('"url": "https://api.example.com/sample"');
    expect(text).not.toContain('since');
    expect(await cli(['test'], { cwd: folder })).toMatchObject({ out: expect.stringMatching(/^2 passed/) });
  });

  it('writes nothing else', async () => {
    expect((await cli(['init', 'modules'], { cwd: folder })).code).toBe(2);
    expect((await cli(['init', 'tests', 'nowhere'], { cwd: folder })).code).toBe(2);
  });

  it.each([
    ['../../../evil/x', '_.._.._evil_x'],
    ['a/../../../../b', 'a_.._.._.._.._b'],
    ['bell\u0007 and\nline', 'bell_ and_line'],
    ['null\u0000', 'null_'],
    ['turned\u202e', 'turned_'],
  ])('keeps a test of %j in the folder of tests', async (name, file) => {
    copy(BOOKSHOP);
    const manifest = path.join(folder, 'makecomapp.json');
    const text = readFileSync(manifest, 'utf8').replace('"getBook"', JSON.stringify(name));
    writeFileSync(manifest, text);
    const made = await cli(['init', 'tests'], { cwd: folder });
    expect(made.code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may reach a terminal
    expect(made.out + made.err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(readdirSync(path.join(folder, 'tests'))).toContain(file);
    expect(existsSync(path.join(folder, 'tests', file, `${file}.test.json`))).toBe(true);
    expect(await cli(['test'], { cwd: folder })).toMatchObject({ code: 0 });
    expect(await cli(['init', 'tests'], { cwd: folder })).toMatchObject({
      code: 0,
      err: 'Every component has a test.\n',
    });
  });

  it('writes nothing where a link of the app leads', async () => {
    copy(BOOKSHOP);
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'iml-elsewhere-'));
    symlinkSync(elsewhere, path.join(folder, 'tests'));
    const made = await cli(['init', 'tests'], { cwd: folder });
    expect(made).toMatchObject({ code: 2, err: expect.stringContaining('through a symbolic link') });
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(elsewhere, { recursive: true });
  });

  it.each(APPS)('makes tests that pass for %s', async (app) => {
    copy(path.join(CORPUS, app));
    rmSync(path.join(folder, 'tests'), { recursive: true, force: true });
    expect((await cli(['init', 'tests'], { cwd: folder })).code).toBe(0);
    const { out, code } = await cli(['test'], { cwd: folder });
    const [, passed] = /(\d+) passed(?:, \d+ todo)? in /.exec(out) ?? [];
    // A run in which no test ran is no success.
    expect(code).toBe(passed === '0' ? 2 : 0);
  });
});
