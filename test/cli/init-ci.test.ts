import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Files, writeApp } from '../app/temp-app.js';
import { cli } from './fake-io.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ACTION = path.join(ROOT, '.github/actions/iml');

interface Step {
  readonly id?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const action = parse(readFileSync(path.join(ACTION, 'action.yml'), 'utf8')) as Action;
const read = (folder: string, file: string): string => readFileSync(path.join(folder, file), 'utf8');

const output = (...names: string[]): object => ({
  url: 'https://api.example.com/items',
  response: { output: Object.fromEntries(names.map((name) => [name, `{{body.${name}}}`])) },
});

/** An app with one test, in the folder `acme` of a repository. */
const REPOSITORY: Files = {
  'acme/makecomapp.json': {
    fileVersion: 1,
    generalCodeFiles: {},
    components: {
      module: {
        getItem: { moduleType: 'action', label: 'Get', codeFiles: { communication: 'get-item.iml.json' } },
      },
    },
    origins: [],
  },
  'acme/get-item.iml.json': output('id', 'name'),
  'acme/tests/getItem/one.test.json': {
    name: 'one item',
    kind: 'action',
    component: { type: 'module', name: 'getItem' },
    input: {},
    exchanges: [{ request: { method: 'GET' }, response: { status: 200, body: { id: 1, name: 'a' } } }],
    expect: { requestCount: 1 },
  },
};

/** A clone whose working tree has the changes, as a job of a pull request against `main` finds it. */
function checkOut(changes: Files): string {
  const git = (cwd: string, ...args: readonly string[]): void => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    execFileSync('git', [...author, ...args], { cwd, stdio: 'ignore' });
  };
  const origin = writeApp(REPOSITORY);
  git(origin, 'init', '-b', 'main');
  git(origin, 'add', '.');
  git(origin, 'commit', '-m', 'first');
  const place = writeApp({});
  git(place, 'clone', '--depth=1', `file://${origin}`, 'clone');
  const clone = path.join(place, 'clone');
  for (const [file, content] of Object.entries(changes))
    writeFileSync(path.join(clone, file), JSON.stringify(content));
  mkdirSync(path.join(clone, 'node_modules/.bin'), { recursive: true });
  symlinkSync(path.join(ROOT, 'dist/bin/iml.js'), path.join(clone, 'node_modules/.bin/iml'));
  return clone;
}

/** Runs a step of the action with its own command and variables. */
function runStep(step: Step | undefined, cwd: string, values: Readonly<Record<string, string>>, bin = '') {
  const expand = (text: string): string =>
    text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => {
      const value = values[name] ?? action.inputs[name.replace(/^inputs\./, '')]?.default;
      if (value === undefined) throw new Error(`The test has no value for ${name}.`);
      return value;
    });
  const env = Object.fromEntries(Object.entries(step?.env ?? {}).map(([name, text]) => [name, expand(text)]));
  const runner = path.join(cwd, '..');
  const { status, stdout, stderr } = spawnSync('bash', ['-c', step?.run ?? 'exit 99'], {
    cwd,
    encoding: 'utf8',
    env: {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: runner,
      RUNNER_TEMP: runner,
      GITHUB_ACTION_PATH: ACTION,
      GITHUB_REPOSITORY: 'ann/shop',
      GITHUB_OUTPUT: path.join(runner, 'output'),
      GITHUB_STEP_SUMMARY: path.join(runner, 'summary.md'),
      ...env,
    },
  });
  return { status, stdout, stderr, runner };
}

function runAction(changes: Files, values: Readonly<Record<string, string>>) {
  const clone = checkOut(changes);
  const result = runStep(action.runs.steps[0], clone, { 'inputs.app': 'acme', ...values });
  const reports = /^reports=(.+)$/m.exec(read(result.runner, 'output'))?.[1] ?? '';
  return { ...result, clone, reports };
}

const BREAKING: Files = { 'acme/get-item.iml.json': output('id') };

describe('the GitHub Action', () => {
  it('fails for a breaking change, and writes the reports and the job summary', () => {
    const { status, reports, runner, stderr } = runAction(BREAKING, { 'inputs.base': 'main' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    const body = read(reports, 'diff.md');
    expect(body).toMatch(/^<!-- iml diff: acme -->\n# Changes of the app\n\n## Breaking changes\n/);
    expect(body).toContain('- **module getItem**');
    expect(read(runner, 'summary.md')).toBe(body);
    expect(JSON.parse(read(reports, 'check.sarif'))).toMatchObject({ version: '2.1.0' });
    expect(read(reports, 'junit.xml')).toContain('tests="1" failures="0"');
  });

  it.each([
    ['the same change with fail-on never', BREAKING, { 'inputs.base': 'main', 'inputs.fail-on': 'never' }],
    ['a push, which has no base', BREAKING, { 'inputs.base': '' }],
    ['no change', {}, { 'inputs.base': 'main' }],
  ])('passes for %s', (_, changes, values) => {
    const { status, reports } = runAction(changes, values);
    expect(status).toBe(0);
    expect(existsSync(path.join(reports, 'diff.md'))).toBe(values['inputs.base'] !== '');
  });

  it.each([
    ['an invalid file', { 'acme/get-item.iml.json': '{' }],
    [
      'a failed test',
      {
        'acme/tests/getItem/one.test.json': {
          ...(REPOSITORY['acme/tests/getItem/one.test.json'] as object),
          expect: { requestCount: 2 },
        },
      },
    ],
    ['a base branch that is missing', {}],
  ])('fails for %s', (title, changes) => {
    const base = title.startsWith('a base') ? 'missing' : '';
    expect(runAction(changes, { 'inputs.base': base }).status).toBe(1);
  });

  it('reports that the base branch lacks the app', () => {
    const { clone, runner } = runAction({}, { 'inputs.base': '' });
    execFileSync('git', ['mv', 'acme', 'shop'], { cwd: clone });
    const values = { 'inputs.app': 'shop', 'inputs.base': 'main' };
    expect(runStep(action.runs.steps[0], clone, values).status).toBe(0);
    expect(read(runner, 'summary.md')).toContain('The branch `main` has no folder of this app.');
  });

  it.each([
    ['writes a comment', '', 'POST repos/ann/shop/issues/7/comments'],
    ['replaces its earlier comment', '41\n42', 'PATCH repos/ann/shop/issues/comments/41'],
  ])('%s', (_, known, expected) => {
    const runner = writeApp({ 'reports/diff.md': 'text' });
    const reports = path.join(runner, 'reports');
    const gh = path.join(runner, 'gh');
    writeFileSync(
      gh,
      `#!/bin/sh\ncase "$*" in *--jq*) echo "${known}";; *) echo "$4 $5 $7" >>"${runner}/sent";; esac\n`,
    );
    chmodSync(gh, 0o755);
    const values = {
      'inputs.app': 'acme',
      'github.token': 'token',
      'github.event.pull_request.number': '7',
      'steps.iml.outputs.reports': reports,
    };
    const step = action.runs.steps.find(({ run }) => run?.endsWith('comment'));
    expect(runStep(step, reports, values, runner)).toMatchObject({ status: 0, stderr: '' });
    expect(read(runner, 'sent')).toBe(`${expected} body=@${reports}/diff.md\n`);
  });
});

/** The first YAML block of docs/ci.md after a comment. */
function exampleAfter(comment: string): string {
  const [, after = ''] = read(ROOT, 'docs/ci.md').split(`<!-- ${comment} -->\n`);
  return /^```yaml\n([\s\S]*?)```\n/.exec(after)?.[1] ?? '';
}

describe('the files of docs/ci.md', () => {
  it.each([
    ['github', '.github/workflows/iml.yml'],
    ['gitlab', '.gitlab/iml.yml'],
  ])('are those that iml init ci %s writes', async (service, file) => {
    const folder = writeApp({
      'my-app/makecomapp.json': REPOSITORY['acme/makecomapp.json'],
      '.git/HEAD': '',
    });
    expect((await cli(['init', 'ci', service], { cwd: folder })).code).toBe(0);
    const withoutVersion = (text: string): string => text.replace(/\d+\.\d+\.\d+\S*/g, 'VERSION');
    const shown = exampleAfter(`written by iml init ci ${service} ./my-app`);
    expect(withoutVersion(shown)).toBe(withoutVersion(read(folder, file)));
  });

  it.each([
    ['passes', {}, [0, 0]],
    ['fails at a mistake', { 'my-app/get-item.iml.json': '{' }, [1, 1]],
  ])('have a workflow without the action that %s', (_, changes, expected) => {
    const files = { ...REPOSITORY, ...changes };
    const moved = Object.entries(files).map(([file, content]) => [file.replace(/^acme/, 'my-app'), content]);
    const folder = writeApp(Object.fromEntries(moved));
    const workflow = parse(exampleAfter('workflow without the action')) as {
      readonly jobs: { readonly iml: { readonly steps: readonly Step[] } };
    };
    const npx = path.join(folder, 'npx');
    writeFileSync(
      npx,
      `#!/bin/sh\n[ "$1 $2 $3" = "--yes --package=iml-runtime iml" ] || exit 99\nshift 3\nexec "${ROOT}/dist/bin/iml.js" "$@"\n`,
    );
    chmodSync(npx, 0o755);
    const steps = workflow.jobs.iml.steps.filter(({ run }) => run !== undefined);
    expect(steps.map((step) => runStep(step, path.join(folder, 'my-app', '..'), {}, folder).status)).toEqual(
      expected,
    );
  });
});

describe('iml init ci', () => {
  const writeRepository = (more: Files = {}): string =>
    writeApp({ ...REPOSITORY, '.git/HEAD': 'ref: refs/heads/master\n', ...more });

  it('writes a workflow that uses the action with inputs that it has', async () => {
    const folder = writeRepository({
      'package-lock.json': { packages: { 'node_modules/iml-runtime': { version: '0.1.0' } } },
    });
    const run = () => cli(['init', 'ci', 'github'], { cwd: path.join(folder, 'acme') });
    const err =
      'The job runs for pull requests and for pushes to master. Version of iml-runtime: that of package-lock.json.\n';
    expect(await run()).toMatchObject({ code: 0, out: '.github/workflows/iml.yml\n', err });
    expect(await run()).toMatchObject({ code: 0, out: '', err });
    const workflow = parse(read(folder, '.github/workflows/iml.yml')) as {
      readonly on: { readonly push: { readonly branches: readonly string[] } };
      readonly jobs: { readonly iml: { readonly steps: readonly Step[] } };
    };
    expect(workflow.on.push.branches).toEqual(['master']);
    const { steps } = workflow.jobs.iml;
    expect(steps.map(({ run, uses }) => run ?? uses?.replace(/@.*/, ''))).toEqual([
      'actions/checkout',
      'actions/setup-node',
      'npm ci',
      'iml-runtime/iml-runtime/.github/actions/iml',
    ]);
    const given = steps.at(-1)?.with ?? {};
    expect(given['app']).toBe('acme');
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
  });

  it.each([
    [
      'the default branch of the remote',
      { '.git/refs/remotes/origin/HEAD': 'ref: refs/remotes/origin/trunk\n' },
      'trunk',
    ],
    ['main without a branch', { '.git/HEAD': '0123456789\n' }, 'main'],
  ])('names %s, and fetches its version if the lock file lacks it', async (_, more, branch) => {
    const folder = writeRepository({ 'package-lock.json': {}, ...more });
    const { err } = await cli(['init', 'ci', 'github'], { cwd: folder });
    expect(err).toContain(`pushes to ${branch}. Version of iml-runtime: `);
    expect(err).toContain(', fetched by the job.');
    const workflow = read(folder, '.github/workflows/iml.yml');
    expect(workflow).toContain(`branches: ['${branch}']`);
    expect(workflow).not.toContain('npm ci');
  });

  it('writes a GitLab job whose script fails for a breaking change', async () => {
    const folder = writeRepository();
    const written = await cli(['init', 'ci', 'gitlab', 'acme'], { cwd: folder });
    expect(written).toMatchObject({ code: 0, out: '.gitlab/iml.yml\n.gitlab-ci.yml\n' });
    expect(parse(read(folder, '.gitlab-ci.yml'))).toEqual({ include: [{ local: '.gitlab/iml.yml' }] });
    const { iml } = parse(read(folder, '.gitlab/iml.yml')) as {
      readonly iml: { readonly script: readonly string[] };
    };
    const clone = checkOut(BREAKING);
    const base = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: clone, encoding: 'utf8' }).trim();
    const run = iml.script.filter((line) => !line.startsWith('npm ')).join('\n');
    const { status } = spawnSync('bash', ['-e', '-c', run], {
      cwd: clone,
      env: {
        PATH: `${path.join(clone, 'node_modules/.bin')}:${process.env['PATH']}`,
        HOME: path.join(clone, '..'),
        CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
      },
    });
    expect(status).toBe(1);
    expect(read(clone, 'iml-diff.md')).toContain('## Breaking changes');
    expect(read(clone, 'iml-junit.xml')).toContain('failures="0"');
  });

  it('leaves other files as they are', async () => {
    const folder = writeRepository({ '.github/workflows/iml.yml': 'ours', '.gitlab-ci.yml': 'ours' });
    expect(await cli(['init', 'ci', 'github'], { cwd: folder })).toMatchObject({
      code: 2,
      err: expect.stringContaining('".github/workflows/iml.yml" already exists'),
    });
    expect(await cli(['init', 'ci', 'gitlab'], { cwd: folder })).toMatchObject({
      code: 0,
      err: expect.stringContaining('Add to .gitlab-ci.yml:\n\ninclude:\n  - local: .gitlab/iml.yml\n'),
    });
    expect(read(folder, '.gitlab-ci.yml')).toBe('ours');
  });

  it.each([
    [['init', 'ci'], 'expected github or gitlab'],
    [['init', 'ci', 'jenkins'], 'expected github or gitlab; got "jenkins"'],
    [['init', 'ci', 'github', 'a b'], 'has characters other than'],
  ])('refuses %j', async (args, message) => {
    const manifest = REPOSITORY['acme/makecomapp.json'];
    const folder = writeRepository({ 'a b/makecomapp.json': manifest });
    expect(await cli(args, { cwd: folder })).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    });
  });
});
