import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { cli } from './fake-io.js';

const APP = {
  'app/makecomapp.json': {
    fileVersion: 1,
    generalCodeFiles: {},
    components: {
      webhook: { contacts: { webhookType: 'web', codeFiles: { communication: 'contacts.json' } } },
      module: { watch: { moduleType: 'instant_trigger', webhook: 'contacts', codeFiles: {} } },
    },
  },
  'app/contacts.json': { output: '{{body}}' },
};

const COMMANDS = {
  dev: ['dev', '.', '--port', '0'],
  serve: ['serve', '.', '--port', '0'],
  events: ['events'],
  rest: ['rest', '--create', '--port', '0'],
};

/** An app beside a foreign folder. */
function writePlaces(): { readonly app: string; readonly outside: string } {
  const home = writeApp({ ...APP, 'outside/kept.txt': 'kept' });
  const [app, outside] = [path.join(home, 'app'), path.join(home, 'outside')];
  mkdirSync(path.join(outside, 'rest'), { mode: 0o755 });
  return { app, outside };
}

const modeOf = (file: string): number => statSync(file).mode & 0o777;

it.each([
  ['dev', '.iml', '../outside'],
  ['dev', '.iml', '../absent'],
  ['dev', '.iml/dev.db', '../../outside/new.db'],
  ['dev', '.iml/dev.db-wal', '../../outside/kept.txt'],
  ['serve', '.iml', '../outside'],
  ['serve', '.iml/host.db', '../../outside/new.db'],
  ['events', '.iml', '../outside'],
  ['rest', '.iml', '../outside'],
  ['rest', '.iml/rest', '../../outside/rest'],
  ['rest', '.iml/rest/encryption-key', '../../../outside/kept.txt'],
] as const)(
  'iml %s neither writes nor changes what a link at %s leads to: %s',
  async (command, at, target) => {
    const { app, outside } = writePlaces();
    const home = path.dirname(app);
    const modes = [outside, path.join(outside, 'rest'), path.join(outside, 'kept.txt')].map(modeOf);
    mkdirSync(path.join(app, path.dirname(at)), { recursive: true });
    symlinkSync(target, path.join(app, at));
    const { code, err } = await cli(COMMANDS[command], { cwd: app, env: { XDG_CONFIG_HOME: home } });
    const message = `"${at}" in ${app} is a link out of the folder. Nothing was written.`;
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
    expect(readdirSync(outside).sort()).toEqual(['kept.txt', 'rest']);
    expect(readdirSync(home)).not.toContain('absent');
    expect([outside, path.join(outside, 'rest'), path.join(outside, 'kept.txt')].map(modeOf)).toEqual(modes);
  },
);

it('follows a link that the user named', async () => {
  const { app, outside } = writePlaces();
  symlinkSync(outside, path.join(app, 'data'));
  const { err } = await cli(['events', '--data', 'data'], { cwd: app, env: { XDG_CONFIG_HOME: app } });
  expect(err).toContain('has no data of a host');
});

it.each([
  [['test', '.', '--coverage', 'lcov'], 'coverage'],
  [['test', '.', '--coverage', 'json=out/sub/coverage.json'], 'out'],
  [['test', '.', '--reporter', 'junit=out/report.xml'], 'out'],
  [['schemas', '.', '--write'], '.vscode'],
  [['serve', '.', '--port', '0', '--record-calls', 'tests/calls'], 'tests'],
  [['init', 'tests', '.'], 'tests'],
])('iml %j writes nothing through a link of the app', async (args, link) => {
  const { app, outside } = writePlaces();
  if (link !== 'tests') {
    mkdirSync(path.join(app, 'tests'));
    writeFileSync(path.join(app, 'tests/one.test.json'), '{}');
  }
  symlinkSync('../outside', path.join(app, link));
  const { code, err } = await cli(args, { cwd: app, env: { XDG_CONFIG_HOME: path.dirname(app) } });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('through a symbolic link') });
  expect(readdirSync(outside).sort()).toEqual(['kept.txt', 'rest']);
});
