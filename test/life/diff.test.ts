import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DIFF_RULES } from '../../src/tools/life/diff/diff-rules.js';
import { cli } from '../cli/fake-io.js';
import { type AppSpec, writeAppFolder } from './write-app-folder.js';

interface DiffCase {
  readonly title: string;
  readonly old: AppSpec;
  readonly new: AppSpec;
  /** Rule, level, component and a part of the message. */
  readonly changes: readonly Readonly<
    Record<'rule' | 'level' | 'component', string> & { message?: string }
  >[];
}

const FOLDER = path.join(import.meta.dirname, '../../spec-fixtures/diff');
const fixtures = readdirSync(FOLDER).map(
  (file) =>
    JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as {
      readonly rule: string;
      readonly cases: readonly DiffCase[];
    },
);

const home = mkdtempSync(path.join(tmpdir(), 'iml-diff-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let count = 0;
function newFolder(): string {
  const folder = path.join(home, String(++count));
  mkdirSync(folder);
  return folder;
}

describe.each(fixtures)('iml diff, rule $rule', ({ cases }) => {
  it.each(cases)('$title', async ({ old, new: now, changes }) => {
    const [before, after] = [newFolder(), newFolder()];
    writeAppFolder(before, old);
    writeAppFolder(after, now);
    const { code, out } = await cli(['diff', before, after, '--json', '--fail-on', 'breaking']);
    const found = (JSON.parse(out) as { readonly changes: readonly FoundChange[] }).changes;
    const shown = found.map(({ rule, level, component: { kind, name } }) => ({
      rule,
      level,
      component: kind === 'app' ? 'app' : `${kind} ${name}`,
    }));
    expect(shown).toEqual(changes.map(({ message: _, ...change }) => change));
    for (const [index, { message }] of changes.entries()) {
      if (message !== undefined) expect(found[index]?.message).toContain(message);
    }
    expect(code).toBe(changes.some(({ level }) => level === 'breaking') ? 1 : 0);
  });
});

interface FoundChange {
  readonly rule: string;
  readonly level: string;
  readonly message: string;
  readonly component: { readonly kind: string; readonly name: string };
  readonly place: { readonly file?: string; readonly line?: number };
}

describe('the rules of iml diff', () => {
  const levels = (wanted: string): readonly string[] =>
    fixtures
      .filter(({ rule, cases }) =>
        cases.some(({ changes }) => changes.some((change) => change.rule === rule) === (wanted === 'fires')),
      )
      .map(({ rule }) => rule)
      .sort();

  it('have a pair of apps that a rule reports and one that it does not', () => {
    const ids = Object.keys(DIFF_RULES).sort();
    expect(levels('fires')).toEqual(ids);
    expect(levels('rests')).toEqual(ids);
  });

  it('are listed in docs/app-life.md with their levels', () => {
    const page = readFileSync(path.join(import.meta.dirname, '../../docs/app-life.md'), 'utf8');
    for (const [id, { level, summary }] of Object.entries(DIFF_RULES)) {
      expect(page).toContain(`| \`${id}\` | ${level} | ${summary} |`);
    }
  });
});

const ID = { name: 'id', type: 'text', label: 'ID' };

function tiny(fields: readonly unknown[], more: object = {}): AppSpec {
  const communication = { url: '/users', response: { output: '{{body}}' } };
  return {
    name: 'tiny',
    base: { baseUrl: 'https://api.example.com' },
    modules: { getUser: { type: 'action', communication, mappableParams: fields, ...more } },
  };
}

describe('iml diff', () => {
  it('ignores comments and white space of files', async () => {
    const [before, after] = [newFolder(), newFolder()];
    writeAppFolder(before, tiny([ID]));
    writeAppFolder(after, tiny([ID]));
    const file = path.join(after, 'modules/getUser/getUser.mappableParams.iml.json');
    writeFileSync(file, `// The form.\n${readFileSync(file, 'utf8').replaceAll('\n', '\r\n')}`);
    expect(await cli(['diff', before, after])).toMatchObject({ code: 0, out: 'no changes\n' });
  });

  it('prints breaking changes first, each with its location and rule', async () => {
    const before = newFolder();
    writeAppFolder(path.join(before, 'old'), tiny([ID]));
    writeAppFolder(path.join(before, 'new'), tiny([{ ...ID, required: true }], { label: 'Get a user' }));
    const { out, code } = await cli(['diff', 'old', 'new'], { cwd: before });
    expect(out.split('\n')).toEqual([
      'breaking  module getUser: The parameter "id" became required. [parameter-required] new/modules/getUser/getUser.mappableParams.iml.json:2:3',
      expect.stringContaining('safe      module getUser: The label was changed. [other-change]'),
      '1 breaking, 0 risky, 1 safe',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('writes a changelog in Markdown', async () => {
    const folder = newFolder();
    writeAppFolder(path.join(folder, 'old'), tiny([ID, { name: 'a_*b', type: 'text' }]));
    writeAppFolder(path.join(folder, 'new'), tiny([ID, { name: 'note', type: 'text' }]));
    const { out } = await cli(['diff', 'old', 'new', '--format', 'markdown'], { cwd: folder });
    expect(out).toBe(`## Breaking changes

- **module getUser**
  - The parameter "a\\_\\*b" was removed.

## Other changes

- **module getUser**
  - The parameter "note" was added.
`);
  });

  it('writes SARIF with a page for each rule', async () => {
    const folder = newFolder();
    writeAppFolder(path.join(folder, 'old'), tiny([ID]));
    writeAppFolder(path.join(folder, 'new'), tiny([]));
    const { out } = await cli(['diff', 'old', 'new', '--format', 'sarif'], { cwd: folder });
    const { runs } = JSON.parse(out) as { runs: readonly [{ results: unknown; tool: { driver: unknown } }] };
    expect(runs[0].results).toMatchObject([
      {
        ruleId: 'parameter-removed',
        level: 'error',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'modules/getUser/getUser.mappableParams.iml.json', uriBaseId: 'APP' },
            },
          },
        ],
      },
    ]);
    expect(runs[0].tool.driver).toMatchObject({
      name: 'iml diff',
      rules: expect.arrayContaining([
        expect.objectContaining({
          id: 'base-changed',
          helpUri: 'https://iml-runtime.github.io/iml-runtime/app-life.html#iml-diff',
        }),
      ]),
    });
  });

  it('sets exit code 1 for risky changes only if --fail-on includes them', async () => {
    const folder = newFolder();
    writeAppFolder(path.join(folder, 'old'), tiny([ID], { scope: [] }));
    writeAppFolder(path.join(folder, 'new'), tiny([ID], { scope: ['write'] }));
    const run = async (...more: string[]): Promise<number> =>
      (await cli(['diff', 'old', 'new', ...more], { cwd: folder })).code;
    expect(await run('--fail-on', 'breaking')).toBe(0);
    expect(await run('--fail-on', 'risky')).toBe(1);
    expect(await run()).toBe(0);
  });

  it.each([
    [['diff', 'nowhere', '.'], '"nowhere" is neither a folder nor a git revision'],
    [['diff'], 'old'],
    [['diff', '.', '.', '--fail-on', 'safe'], 'Expected one of breaking, risky, never'],
    [['diff', '.', '.', '--format', 'xml'], 'Expected one of human, json, sarif, markdown'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await cli(args, { cwd: newFolder() });
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('iml diff of git revisions', () => {
  const git = (folder: string, ...args: readonly string[]): void => {
    const settings = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...settings, ...args], { cwd: folder, stdio: 'pipe' });
  };

  function createRepository(): string {
    const folder = newFolder();
    writeAppFolder(path.join(folder, 'app'), tiny([ID]));
    git(folder, 'init', '-q', '-b', 'main');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', 'first');
    writeAppFolder(path.join(folder, 'app'), tiny([{ ...ID, required: true }]));
    return folder;
  }

  it('compares a folder of a revision with the working folder', async () => {
    const folder = createRepository();
    const { out, code } = await cli(['diff', 'main:./app', 'app', '--fail-on', 'breaking'], { cwd: folder });
    expect(out).toContain('breaking  module getUser: The parameter "id" became required.');
    expect(code).toBe(1);
    expect((await cli(['diff', 'main:app', 'main:./app'], { cwd: folder })).out).toBe('no changes\n');
  });

  it('takes the current folder if the revision names none', async () => {
    const folder = createRepository();
    const { out } = await cli(['diff', 'main'], { cwd: path.join(folder, 'app') });
    expect(out).toContain('1 breaking');
  });

  it('reports which revision has no app', async () => {
    const folder = createRepository();
    const { err, code } = await cli(['diff', 'main:./app/modules', 'app'], { cwd: folder });
    expect(code).toBe(2);
    expect(err).toContain('There is no app in "main:./app/modules"');
  });

  it('refuses missing folders, and arguments that look like options of git', async () => {
    const folder = createRepository();
    const run = async (name: string): Promise<string> =>
      (await cli(['diff', '--', name, 'app'], { cwd: folder })).err;
    expect(await run('main:app/makecomapp.json')).toContain('is not a folder of the repository');
    expect(await run('--upload-pack=x')).toContain('nor a git revision');
  });
});
