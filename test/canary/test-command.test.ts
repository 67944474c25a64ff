import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { type CliResult, cli } from '../cli/fake-io.js';
import { expectNoSecret } from './expect-no-secret.js';
import { secretApp } from './secret-app.js';
import { SECRETS, type SecretService, startSecretService } from './secret-service.js';

let service: SecretService;
beforeAll(async () => {
  service = await startSecretService();
});
afterAll(() => service.close());

const CASE = {
  component: 'module:act',
  record: true,
  live: true,
  input: {
    connection: { key: '{{secret:key}}', sid: '{{secret:sid}}' },
    parameters: { word: '{{secret:word}}', rows: [{ word: '{{secret:item}}' }] },
  },
  common: { secret: '{{secret:common}}' },
};

const ENV = {
  IML_SECRET_KEY: SECRETS.key,
  IML_SECRET_SID: SECRETS.sid,
  IML_SECRET_WORD: SECRETS.password,
  IML_SECRET_ITEM: SECRETS.item,
  IML_SECRET_COMMON: SECRETS.common,
};

/** A signature over the body, and a multipart body with a secret in its text, its name and its file. */
const SIGNED = {
  type: 'multipart/form-data',
  headers: { 'X-Signature': '{{sha256(parameters.word; "base64"; connection.key)}}' },
  body: {
    word: '{{parameters.word}}',
    file: { value: 'of {{connection.key}}', options: { filename: '{{encodeURL(connection.sid)}}.txt' } },
  },
};

function appFolder(patch: Readonly<Record<string, unknown>> = {}): string {
  const { base, common, modules = {} } = secretApp(service.origin, patch);
  return writeApp({
    'app/base.iml.json': base,
    'app/common.json': common,
    'app/act.iml.json': modules['act']?.communication,
    'app/form.iml.json': modules['act']?.mappableParams,
    'app/makecomapp.json': {
      generalCodeFiles: { base: 'base.iml.json', common: 'common.json' },
      components: {
        connection: { c: { connectionType: 'basic', codeFiles: {} } },
        module: {
          act: {
            moduleType: 'search',
            connection: 'c',
            codeFiles: { communication: 'act.iml.json', mappableParams: 'form.iml.json' },
          },
        },
      },
    },
    'app/tests/act/one.test.json': CASE,
  });
}

const REPORTS = ['human=out/h', 'json=out/j', 'junit=out/x', 'github=out/g'];

async function test(folder: string, args: readonly string[]): Promise<CliResult> {
  const isOnline = args.includes('--live') || args.includes('--record-cases');
  const options = [...args, ...(isOnline ? ['--allow-local'] : [])];
  return cli(['test', 'app', ...options], { cwd: folder, env: { ...ENV, IML_DEBUG: '1' } });
}

const reports = (): readonly string[] => REPORTS.flatMap((name) => ['--reporter', name]);

/** All files except those of the author, one of which contains a secret. */
function readWritten(folder: string): string {
  const own = path.join(folder, 'app', 'act.iml.json');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => file !== own && !file.endsWith('common.json'))
    .map((file) => `${file}\n${readFileSync(file, 'latin1')}\n${readFileSync(file, 'utf8')}`)
    .join('\n');
}

describe.each([
  ['JSON', {}],
  ['multipart and a signature', SIGNED],
])('secrets in tests of a module that sends %s', (_what, patch) => {
  it('occur in no file, report, coverage, difference or output of the command', async () => {
    const folder = appFolder(patch);
    const shown: string[] = [];
    const run = async (args: readonly string[], code: number): Promise<void> => {
      const { code: ended, out, err } = await test(folder, args);
      shown.push(out, err);
      expectNoSecret(`${out}\n${err}`);
      const files = ended === code ? '' : ['h', 'j'].map((name) => readReport(folder, name)).join('');
      expect([args, ended, ended === code ? '' : out + err + files]).toEqual([args, code, '']);
    };
    await run(['--record-cases', '--yes'], 0);
    await run([...reports(), '--coverage=text', '--coverage=json=out/c', '--coverage=lcov=out/l'], 0);
    await run(['--live', ...reports()], 0);
    const file = path.join(folder, 'app', 'base.iml.json');
    const base = readFileSync(file, 'utf8');
    writeFileSync(file, base.replace('Bearer ', 'Baarer ').replace('access_token', 'excess_token'));
    await run(reports(), 1);
    await run(['--update', '--yes'], 0);
    writeFileSync(file, base);
    const act = path.join(folder, 'app', 'act.iml.json');
    const text = readFileSync(act, 'utf8');
    for (const [from, to, code] of [
      ['/data/', '/status/400/', 3],
      ['/data/', '/status/503/', 1],
      ['/data/', '/reset?x=', 1],
      ['/data/', '/more/deeper/', 3],
    ] as const) {
      writeFileSync(act, text.replace(from, to));
      await run(['--live', ...reports()], code);
      expectNoSecret(readWritten(folder));
    }
    expect(existsSync(path.join(folder, 'out', 'x'))).toBe(true);
    expect(shown.join('')).toContain('Secrets replaced: ');
  });
});

function readReport(folder: string, name: string): string {
  const file = path.join(folder, 'out', name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
