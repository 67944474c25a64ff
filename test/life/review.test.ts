import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../cli/fake-io.js';
import { writeAppFolder } from './write-app-folder.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-review-'));
  writeAppFolder(folder, {
    name: 'tiny',
    base: { baseUrl: 'https://api.example.com', response: { error: { message: '{{body.message}}' } } },
    modules: {
      call: {
        type: 'universal',
        label: 'Make an API call',
        description: 'Performs an arbitrary authorized API call.',
        communication: { url: '{{parameters.url}}', response: { output: '{{body}}' } },
        mappableParams: [{ name: 'url', type: 'text', label: 'URL', help: 'For example, `/users`.' }],
        interface: [{ name: 'body', type: 'any', label: 'Body' }],
      },
      getUser: {
        label: 'Get user',
        description: 'Returns a user.',
        communication: { url: '/users/{{parameters.id}}', response: { output: '{{body}}' } },
        mappableParams: [{ name: 'id', type: 'text', label: 'ID' }],
        interface: [{ name: 'id', type: 'text', label: 'ID' }],
        samples: { id: '7' },
      },
    },
    webhooks: { events: { communication: { condition: '{{body.id}}', output: '{{body}}' } } },
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: readonly string[]): ReturnType<typeof cli> => cli(['check', ...args], { cwd: folder });

interface JsonReport {
  readonly review: readonly {
    readonly title: string;
    readonly rules: readonly { readonly id: string; readonly status: string; readonly source?: string }[];
    readonly open: readonly string[];
  }[];
  readonly findings: readonly { readonly rule: string }[];
}

describe('iml check --profile review', () => {
  it('prints failed, passed and manual checks in the order of the form', async () => {
    const { out, code } = await run('.', '--profile', 'review');
    expect(code).toBe(0);
    const titles = out.split('\n').filter((line) => /^\d+\. /.test(line));
    expect(titles).toEqual([
      '1. App and files',
      '2. Base and hosts',
      '3. Connections',
      '4. Modules',
      '5. Triggers and epochs',
      '6. Webhooks',
      '7. RPCs',
      '8. Names, labels and forms',
      '9. Custom functions',
      '10. Endpoints',
      '11. For the review form',
    ]);
    const names = out.slice(out.indexOf('8. Names'), out.indexOf('9. Custom'));
    expect(names).toContain(
      '  failed  module-label: The label of a module does not follow the conventions.\n',
    );
    expect(names).toContain('modules/getUser/getUser.communication.iml.json:1:1: warning: Write "Get user"');
    expect(names).toMatch(/ {2}passed {2}\d+ rules/);
    expect(out).toContain('open    Does the readme say how to register the address of the webhook "events"?');
    expect(out).toContain('open    Does the reviewer have credentials of a test account?');
  });

  it('applies no rule of the review by default', async () => {
    const { out } = await run('--json');
    expect(out).not.toContain('module-label');
    expect(JSON.parse(out)).not.toHaveProperty('review');
  });

  it('distinguishes rules of the documentation from advice of reviewers in JSON', async () => {
    const { review } = JSON.parse((await run('--profile', 'review', '--json')).out) as JsonReport;
    const rules = review.flatMap((section) => section.rules);
    expect(rules.find(({ id }) => id === 'module-label')).toMatchObject({
      status: 'failed',
      source: expect.stringContaining('https://developers.make.com/custom-apps-documentation/'),
    });
    expect(rules.find(({ id }) => id === 'password-type')).toMatchObject({
      status: 'passed',
      source: 'advice of reviewers',
    });
    expect(rules.find(({ id }) => id === 'unknown-name')).not.toHaveProperty('source');
  });

  it('is selected in iml.config.json, which also sets the levels of its rules', async () => {
    const config = (check: object): void =>
      writeFileSync(path.join(folder, 'iml.config.json'), JSON.stringify({ check }));
    config({ profile: 'review' });
    const { out: report } = await run();
    expect(report).toContain('[module-label]');
    expect(report).toContain('8. Names, labels and forms\n');
    expect(JSON.parse((await run('--json')).out)).toHaveProperty('review');
    expect((await run('--profile', 'default')).out).not.toContain('[module-label]');
    config({ profile: 'review', rules: { 'module-label': 'off' } });
    expect((await run('--profile', 'review')).out).not.toContain('module-label');
    config({ profile: 'strict' });
    const { out, code } = await run();
    expect(code).toBe(1);
    expect(out).toContain('check.profile is one of default, review.');
  });

  it('prints a comment with an unknown rule after the sections', async () => {
    const file = path.join(folder, 'modules/getUser/getUser.communication.iml.json');
    writeFileSync(file, `// iml-ignore module-labels: known\n${readFileSync(file, 'utf8')}`);
    const { out, code } = await run('--profile', 'review');
    expect(out).toContain(
      'error: There is no rule "module-labels". Did you mean "module-label"? [unknown-rule]',
    );
    expect(code).toBe(1);
  });

  it('fails for warnings with --strict', async () => {
    expect((await run('--profile', 'review', '--strict')).code).toBe(1);
    expect((await run('--strict')).code).toBe(0);
    const { code, err } = await run('--strict', '--fail-on', 'error');
    expect(code).toBe(2);
    expect(err).toContain('--strict and --fail-on exclude each other.');
  });

  it('lists the applied rules with their pages in SARIF', async () => {
    const rulesOf = async (...args: readonly string[]): Promise<ReadonlyMap<string, string>> => {
      const { runs } = JSON.parse((await run(...args, '--format', 'sarif')).out) as {
        runs: [{ tool: { driver: { rules: { id: string; helpUri: string }[] } } }];
      };
      return new Map(runs[0].tool.driver.rules.map(({ id, helpUri }) => [id, helpUri]));
    };
    const page = 'https://iml-runtime.github.io/iml-runtime/rules/module-label.html';
    expect((await rulesOf('--profile', 'review')).get('module-label')).toBe(page);
    expect((await rulesOf()).has('module-label')).toBe(false);
  });

  it('refuses an unknown profile', async () => {
    const { code, err } = await run('--profile', 'audit');
    expect(code).toBe(2);
    expect(err).toContain('--profile: Expected one of default, review; got "audit".');
  });
});

describe('iml check --explain', () => {
  it('prints the page of a rule and its address', async () => {
    const { out, code } = await run('--explain', 'module-label');
    expect(out).toMatch(/^# module-label\n\nLevel: warning\..*--profile review/);
    expect(out).toMatch(/\nhttps:\/\/iml-runtime\.github\.io\/iml-runtime\/rules\/module-label\.html\n$/);
    expect(code).toBe(0);
  });

  it('suggests the rule that was meant', async () => {
    const { code, err } = await run('--explain', 'module-labels');
    expect(code).toBe(2);
    expect(err).toContain('There is no rule "module-labels". Did you mean "module-label"?');
  });
});

describe('iml check --fix', () => {
  it('does not apply a suggestion, which is a guess', async () => {
    const file = path.join(folder, 'modules/getUser/getUser.communication.iml.json');
    const text = readFileSync(file, 'utf8').replace('{{body}}', '{{bodi}}');
    writeFileSync(file, text);
    const { out, err } = await run('--fix');
    expect(out).toContain('Did you mean "body"?');
    expect(out).not.toContain('--fix:');
    expect(err).toBe('0 mended.\n');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('reports the suggestion of a misspelt key of the manifest as a fix of that word only', async () => {
    const manifest = path.join(folder, 'makecomapp.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"origins"', '"origns"'));
    const { findings } = JSON.parse((await run('--json')).out) as {
      findings: {
        rule: string;
        fix?: { title: string; edits: { start: number; end: number; text: string }[] };
      }[];
    };
    const fix = findings.find((finding) => finding.fix?.edits.some(({ text }) => text === 'origins'))?.fix;
    const [edit] = fix?.edits ?? [];
    expect(fix?.title).toBe('Replace "origns" by "origins"');
    expect(readFileSync(manifest, 'utf8').slice(edit?.start, edit?.end)).toBe('origns');
  });
});
