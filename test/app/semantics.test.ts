import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine, defineApp, type EngineOptions, loadApp } from '../../src/index.js';
import { cli } from '../cli/fake-io.js';
import { writeApp } from './temp-app.js';

const COMMUNICATION = {
  response: { output: { same: "{{1 = '1'}}", parts: "{{split('a, b,'; ',')}}", own: '{{own()}}' } },
};
const OWN = "function own() { return iml.split('a, b,', ',').length }";
const RUNTIME = { same: true, parts: ['a', 'b'], own: 2 };
const DOCUMENTED = { same: false, parts: ['a', ' b', ''], own: 3 };

const APP_FILES = {
  'makecomapp.json': {
    components: {
      module: { run: { moduleType: 'action', codeFiles: { communication: 'run.json' } } },
      function: { own: { codeFiles: { code: 'own.js' } } },
    },
  },
  'run.json': COMMUNICATION,
  'own.js': OWN,
};

async function runOf(options: Partial<EngineOptions>): Promise<readonly unknown[] | undefined> {
  const app = defineApp({
    name: 'semantics',
    modules: { run: { type: 'action', communication: COMMUNICATION } },
    functions: { own: { code: OWN } },
  });
  await using engine = createEngine({ app, ...options });
  return (await engine.module('run').run()).bundles;
}

describe('the option semantics', () => {
  it('is runtime by default', async () => {
    expect(await runOf({})).toEqual([RUNTIME]);
    expect(await runOf({ semantics: 'runtime' })).toEqual([RUNTIME]);
    expect(await runOf({ semantics: 'documented' })).toEqual([DOCUMENTED]);
  });

  it('comes from iml.config.json in an app folder, and an option takes precedence', async () => {
    const folder = await writeApp({ ...APP_FILES, 'iml.config.json': { semantics: 'documented' } });
    const app = await loadApp(folder);
    await using engine = createEngine({ app });
    expect((await engine.module('run').run()).bundles).toEqual([DOCUMENTED]);
    const { out } = await cli(['run', folder, 'run', '--semantics', 'runtime', '--json']);
    expect(JSON.parse(out).bundles).toEqual([RUNTIME]);
  });

  it('refuses another value', async () => {
    const folder = await writeApp({ ...APP_FILES, 'iml.config.json': { semantics: 'strict' } });
    await expect(loadApp(folder)).rejects.toMatchObject({
      code: 'SPEC_INVALID',
      message: expect.stringContaining('runtime or documented'),
    });
    const { err, code } = await cli(['eval', '{{1}}', '--semantics', 'strict']);
    expect({ err, code }).toMatchObject({ err: expect.stringContaining('--semantics'), code: 2 });
  });

  it('applies to iml eval and iml test', async () => {
    expect((await cli(['eval', "{{1 = '1'}}", '--semantics', 'documented'])).out).toBe('false\n');
    const folder = await writeApp({ ...APP_FILES });
    const test = { component: { type: 'module', name: 'run' }, expect: { bundles: [DOCUMENTED] } };
    await mkdir(path.join(folder, 'tests'), { recursive: true });
    await writeFile(path.join(folder, 'tests', 'run.test.json'), JSON.stringify(test));
    expect((await cli(['test', folder])).code).toBe(1);
    expect((await cli(['test', folder, '--semantics', 'documented'])).code).toBe(0);
  });
});
