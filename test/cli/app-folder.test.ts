import path from 'node:path';
import { expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { cli } from './fake-io.js';

const SEARCH = { response: { iterate: '{{parameters.list}}', output: '{{item}}' } };

/** A repository with an app in `crm`, and a folder beside it. */
function writeRepository(): string {
  const file = (role: string, name: string): object => ({ [role]: name });
  const module = {
    moduleType: 'action',
    connection: 'key',
    codeFiles: { ...file('communication', 'act.iml.json'), ...file('mappableParams', 'form.iml.json') },
  };
  return writeApp({
    '.git/HEAD': '',
    'crm/makecomapp.json': {
      fileVersion: 1,
      generalCodeFiles: {},
      components: {
        module: { act: module },
        connection: {
          key: { connectionType: 'basic', codeFiles: file('communication', 'act.iml.json') },
        },
        rpc: { list: { codeFiles: file('communication', 'rpc.iml.json') } },
        webhook: { events: { webhookType: 'web', codeFiles: file('communication', 'hook.iml.json') } },
      },
    },
    'crm/act.iml.json': { response: { output: { n: 1 } } },
    'crm/form.iml.json': [],
    'crm/rpc.iml.json': SEARCH,
    'crm/hook.iml.json': { output: '{{body}}' },
    'crm/modules/deep/notes.txt': '',
    'crm/tests/act/one.test.json': {
      component: 'module:act',
      exchanges: [],
      expect: { bundles: [{ n: 1 }] },
    },
    'crm/tests/act/two.test.json': {
      component: 'module:act',
      exchanges: [],
      expect: { bundles: [{ n: 1 }] },
    },
    'other/notes.txt': '',
  });
}

it.each([
  [['run', 'act'], '{"n":1}\n'],
  [['rpc', 'list'], '[]\n'],
  [['webhook', 'events', '--body', '{"n":2}'], '{"n":2}\n'],
  [['webhook', 'events', 'call', '--body', '{"n":2}'], '{"n":2}\n'],
  [['info'], 'modules (1)\n  act'],
  [['info', 'act'], 'modules (1)\n  act'],
  [['check'], '../../act.iml.json:'],
  [['test'], '2 passed'],
  [['types'], 'interface'],
])('finds the app in a folder above the current one: %j', async (args, expected) => {
  const cwd = path.join(writeRepository(), 'crm/modules/deep');
  const { out, err } = await cli(args, { cwd });
  expect(out + err).toContain(expected);
});

it.each([
  [['run', 'act'], '{"n":1}\n'],
  [['run', 'crm', 'act'], '{"n":1}\n'],
  [['webhook', 'crm', 'events', '--body', '{"n":2}'], '{"n":2}\n'],
  [['info', 'crm'], 'modules (1)\n  act'],
])('finds the one app below the current folder: %j', async (args, expected) => {
  const { code, out } = await cli(args, { cwd: writeRepository() });
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(expected) });
});

it('runs only the tests of the current folder if it is in the folder of tests', async () => {
  const root = writeRepository();
  const { out } = await cli(['test', '--filter', 'one'], { cwd: path.join(root, 'crm/tests/act') });
  expect(out).toContain('1 passed');
});

it.each([
  [['run', 'crm'], 'Missing <module>: Name of the module'],
  [['webhook', 'crm'], 'Missing <webhook>: Name of the webhook'],
  [['run', 'nope'], 'no module "nope"'],
  [['info', './nope'], 'There is no folder'],
  [['connect', 'nope', '--name', 'x'], 'no connection "nope"'],
])('refuses %j', async (args, message) => {
  const { code, err } = await cli(args, { cwd: writeRepository() });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
});

it('does not look above the root of the repository', async () => {
  const root = writeApp({
    'makecomapp.json': { fileVersion: 1, generalCodeFiles: {}, components: {} },
    'inner/.git/HEAD': '',
    'inner/deep/notes.txt': '',
  });
  const { code, err } = await cli(['info'], { cwd: path.join(root, 'inner/deep') });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('There is no app in') });
});
