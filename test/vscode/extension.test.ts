import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { URI } from 'vscode-uri';
import { makeTemporaryFolder } from '../temporary-folder.js';
import {
  type StubController,
  type StubItem,
  type StubItems,
  type StubOptions,
  StubPosition,
  VscodeStub,
} from './stub.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const IML = path.join(ROOT, 'dist/bin/iml.js');

interface Bundler {
  readonly bundleVscode: (folder: string) => Promise<void>;
}

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

interface Extension {
  readonly activate: (context: object) => Promise<void>;
}

const bundle = makeTemporaryFolder();
let folder = '';
let app = '';
let stub: VscodeStub;

beforeAll(async () => {
  const file = path.join(ROOT, '.config/bundle-vscode.mjs');
  const { bundleVscode } = (await import(file)) as Bundler;
  await bundleVscode(bundle);
});
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

beforeEach(() => {
  folder = makeTemporaryFolder();
  app = path.join(folder, 'apps/bookshop');
  cpSync(path.join(ROOT, 'spec-fixtures/bookshop'), app, { recursive: true });
  // The PATH of a developer may have an iml.
  vi.stubEnv('PATH', path.dirname(process.execPath));
});
afterEach(async () => {
  await stub.dispose();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Loads the bundle as VS Code does, with the stub as the module `vscode`. */
async function activate(options: Partial<StubOptions> = {}): Promise<void> {
  stub = new VscodeStub({ folder, ...options });
  const file = path.join(bundle, 'extension.js');
  const load = createRequire(file);
  const module = { exports: {} };
  const run = vm.compileFunction(readFileSync(file, 'utf8'), ['require', 'module', 'exports'], {
    filename: file,
  });
  run((name: string) => (name === 'vscode' ? stub.api : load(name)), module, module.exports);
  await (module.exports as Extension).activate({ subscriptions: stub.subscriptions });
}

function install(target: string): void {
  mkdirSync(path.join(target, 'node_modules/.bin'), { recursive: true });
  symlinkSync(IML, path.join(target, 'node_modules/.bin/iml'));
}

/** Labels of test items with those below them. */
function outline(items: StubItems): readonly unknown[] {
  return [...items].map(([, { label, children }]) =>
    children.size === 0 ? label : [label, outline(children)],
  );
}

/** Runs tests and returns the states that the run reported. */
async function runTests(
  request: Readonly<Record<string, readonly StubItem[]>> = {},
): Promise<readonly string[]> {
  const { reported, run } = controller();
  reported.length = 0;
  await run(request, { onCancellationRequested: () => ({ dispose: () => {} }) });
  return reported.map(({ state, label }) => `${state} ${label}`.trim());
}

const CASE = {
  component: 'module:getBook',
  input: { parameters: { isbn: '1' }, connection: { apiKey: '{{secret:key}}' } },
  exchanges: [
    {
      request: { url: 'https://api.bookshop.example/v1/books/1' },
      response: { status: 200, body: { book: { isbn: '1' } } },
    },
  ],
};

function writeCase(name: string, bundles: readonly object[]): void {
  const file = path.join(app, `tests/getBook/${name}.test.json`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...CASE, expect: { bundles } }, null, 2));
}

describe('the language server', () => {
  it('reports diagnostics and shows hovers of an open file, with the iml of the folder of the app', async () => {
    install(app);
    await activate();
    const file = path.join(app, 'modules/list-books/list-books.communication.iml.json');
    const text = readFileSync(file, 'utf8').replace('{{parameters.genre}}', '{{parametres.genre}}');
    const document = stub.openDocument(file, 'imljson', text);
    await vi.waitFor(() => expect(stub.diagnostics.get(file)).toHaveLength(1), 20_000);
    expect(stub.diagnostics.get(file)).toMatchObject([
      { message: expect.stringContaining('parametres'), severity: 0, range: { start: { line: 5 } } },
    ]);
    const lines = text.split('\n');
    const line = lines.findIndex((one) => one.includes('parseDate'));
    const [, provider] = stub.providers.get('registerHoverProvider') as [unknown, Hovers];
    const position = new StubPosition(line, (lines[line] ?? '').indexOf('parseDate') + 2);
    const hover = await provider.provideHover(document, position, { onCancellationRequested: () => {} });
    expect(JSON.stringify(hover.contents)).toContain('parseDate(');
    expect(stub.messages).toEqual([]);
  });

  it('starts again with a changed setting', async () => {
    await activate({ settings: { 'iml.path': IML } });
    const registered = stub.providers.get('registerHoverProvider');
    await stub.events.configured.fire({ affectsConfiguration: (name: string) => name === 'iml.path' });
    expect(stub.providers.get('registerHoverProvider')).not.toBe(registered);
    expect(stub.messages).toEqual([]);
  });

  it('says what to do if there is no iml, and opens the setting', async () => {
    await activate({ settings: { 'iml.path': 'tools/iml' }, choice: 'Open Settings' });
    expect(stub.messages).toEqual([
      'The command iml was not found. The setting iml.path names "tools/iml", which is not a file. Install it in the project with "npm install --save-dev iml-runtime", or set iml.path. Then run "IML: Restart Language Server".',
    ]);
    expect(stub.executed).toEqual([['workbench.action.openSettings', 'iml.path']]);
    expect(stub.providers.size).toBe(0);
  });

  it('starts only when the user trusts the workspace', async () => {
    const started = path.join(folder, 'started');
    const file = path.join(app, 'node_modules/.bin/iml');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\ntouch '${started}'\nexec '${IML}' "$@"\n`, { mode: 0o755 });
    await activate({ isTrusted: false });
    expect([stub.commands.size, stub.controllers.length, existsSync(started)]).toEqual([0, 0, false]);
    await stub.events.trusted.fire(undefined);
    expect(existsSync(started)).toBe(true);
    const { contributes } = JSON.parse(readFileSync(path.join(bundle, 'package.json'), 'utf8')) as Manifest;
    expect([...stub.commands.keys()].sort()).toEqual(
      contributes.commands.map(({ command }) => command).sort(),
    );
    expect(stub.providers.has('registerHoverProvider')).toBe(true);
  });
});

interface Hovers {
  readonly provideHover: (
    document: object,
    position: object,
    token: object,
  ) => Promise<{ readonly contents: unknown }>;
}

describe('the Test view', () => {
  beforeEach(async () => {
    install(folder);
    writeCase('right', [{ isbn: '1' }]);
    writeCase('wrong', [{ isbn: '2' }]);
    await activate();
  });

  it('lists files and reports each result with message, values and location', async () => {
    const { items, resolveHandler, reported } = controller();
    await resolveHandler?.();
    expect(outline(items)).toEqual([['apps/bookshop', ['format-price', 'getBook/right', 'getBook/wrong']]]);
    expect(await runTests()).toEqual([
      'started format-price',
      'started getBook/right',
      'started getBook/wrong',
      'passed getBook/right',
      'failed getBook/wrong',
      'passed formatPrice > writes cents as an amount',
      'end',
    ]);
    const lines = readFileSync(path.join(app, 'tests/getBook/wrong.test.json'), 'utf8').split('\n');
    expect(reported.find(({ state }) => state === 'failed')?.messages).toMatchObject([
      {
        message: expect.stringMatching(/^bundles\[0\]\.isbn\nMade in modules\/get-book\/[\w.-]+:\d+:\d+$/),
        expectedOutput: '2',
        actualOutput: '1',
        location: {
          uri: { fsPath: path.join(app, 'tests/getBook/wrong.test.json') },
          range: { line: lines.indexOf('        "isbn": "2"'), character: 16 },
        },
      },
    ]);
  });

  it('runs the chosen files, without those that are excluded, and lists new files', async () => {
    const { items, resolveHandler } = controller();
    await resolveHandler?.();
    const wrong = find(items, 'getBook/wrong');
    expect(await runTests({ include: [wrong] })).toEqual([
      'started getBook/wrong',
      'failed getBook/wrong',
      'end',
    ]);
    writeCase('next', [{ isbn: '1' }]);
    await stub.events.created.fire(URI.file(path.join(app, 'tests/getBook/next.test.json')));
    expect(await runTests({ exclude: [find(items, 'getBook/wrong'), find(items, 'format-price')] })).toEqual([
      'started getBook/next',
      'started getBook/right',
      'passed getBook/next',
      'passed getBook/right',
      'end',
    ]);
  });

  it('stops the process of a cancelled run', async () => {
    await controller().resolveHandler?.();
    const file = path.join(app, 'node_modules/.bin/iml');
    const started = path.join(folder, 'started');
    mkdirSync(path.dirname(file), { recursive: true });
    // Without a signal it would end the test by its time limit.
    writeFileSync(file, `#!/bin/sh\necho $$ >'${started}'\nexec sleep 1000\n`, { mode: 0o755 });
    let cancel = (): void => {};
    const onCancellationRequested = (listener: () => void): object => {
      cancel = listener;
      return { dispose: () => {} };
    };
    const run = controller().run({}, { onCancellationRequested });
    await vi.waitFor(() => expect(existsSync(started)).toBe(true), 20_000);
    cancel();
    await run;
    expect(controller().reported.at(-1)?.state).toBe('end');
    expect(controller().reported.filter(({ state }) => state === 'errored')).toEqual([]);
  });

  it('reports an app that does not load, and a run without a report', async () => {
    await controller().resolveHandler?.();
    writeFileSync(path.join(app, 'general/base.iml.json'), '{');
    expect(await runTests()).toContain('errored apps/bookshop');
    rmSync(path.join(app, 'tests/getBook/wrong.test.json'));
    expect(await runTests({ include: [find(controller().items, 'getBook/wrong')] })).toEqual([
      'started getBook/wrong',
      'errored getBook/wrong',
      'end',
    ]);
    expect(controller().reported[1]?.messages[0]?.message).toContain('wrong.test.json');
  });
});

function controller(): StubController {
  const [first] = stub.controllers;
  if (first === undefined) throw new Error('There is no controller.');
  return first;
}

function find(items: StubItems, label: string): StubItem {
  const all = [...items].flatMap(([, app]) => [...app.children].map(([, file]) => file));
  const found = all.find((item) => item.label === label);
  if (found === undefined) throw new Error(`There is no item "${label}".`);
  return found;
}

describe('Open in iml dev', () => {
  it('opens the page of the app, and the same page again', async () => {
    install(folder);
    await activate();
    const open = stub.commands.get('iml.openDev');
    await open?.();
    await open?.({ fsPath: path.join(app, 'makecomapp.json') });
    const [first, second] = stub.opened;
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+$/);
    expect(second).toBe(first);
    expect((await fetch(first ?? '')).status).toBe(200);
  });

  it('shows why the page does not open, and offers to run the command in a terminal, where it can prompt', async () => {
    install(folder);
    await activate({ choice: 'Run in Terminal' });
    writeFileSync(path.join(app, 'iml.config.json'), '{ "map": 1 }');
    await stub.commands.get('iml.openDev')?.();
    expect(stub.messages).toEqual([expect.stringContaining('iml.config.json')]);
    expect(stub.terminals).toMatchObject([{ cwd: app, shellArgs: ['dev', '.', '--port', '0'] }]);
    expect(stub.opened).toEqual([]);
  });
});
