import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyFixes } from '../../src/tools/check/fixes.js';
import { createAnnotations, createSarif, describeCheck } from '../../src/tools/check/reports.js';
import { checkFolder, type Finding } from './check-folder.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-check-'));
  mkdirSync(path.join(folder, '.git'));
  writeFileSync(path.join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MANIFEST = JSON.stringify({
  fileVersion: 1,
  generalCodeFiles: { base: 'base.iml.json' },
  components: { module: { get: { moduleType: 'action', codeFiles: { communication: 'get.iml.json' } } } },
});

function write(files: Readonly<Record<string, string>>, to = folder): void {
  const all = {
    'makecomapp.json': MANIFEST,
    'base.iml.json': '{"baseUrl":"https://api.example.com"}',
    ...files,
  };
  for (const [file, text] of Object.entries(all)) writeFileSync(path.join(to, file), text);
}

const rulesOf = async (): Promise<readonly string[]> =>
  (await checkFolder(folder)).findings.map(({ rule }) => rule);

describe('the check of a folder', () => {
  it('reports the source location of a wrong expression, also after escapes', async () => {
    write({ 'get.iml.json': '{\n  "url": "/\\u0061\\"{{shout(1)}}"\n}' });
    const { findings } = await checkFolder(folder);
    expect(findings).toMatchObject([
      { rule: 'unknown-function', place: { file: 'get.iml.json', line: 2, column: 22 }, length: 5 },
    ]);
  });

  it('reports one finding for an app that does not load', async () => {
    write({ 'get.iml.json': '{ "url": ' });
    expect((await checkFolder(folder)).findings).toMatchObject([
      {
        rule: 'cannot-load',
        level: 'error',
        message: expect.stringMatching(/^Expected /),
        place: { file: 'get.iml.json', line: 1 },
      },
    ]);
  });

  it('does not repeat the location of an app that does not load in the message', async () => {
    const manifest = {
      components: { module: { get: { moduleType: 'action', codeFiles: { communication: '../get.json' } } } },
    };
    write({ 'makecomapp.json': JSON.stringify(manifest) });
    expect((await checkFolder(folder)).findings).toMatchObject([
      { rule: 'cannot-load', message: expect.stringMatching(/^The file "\.\.\/get\.json" is outside /) },
    ]);
  });

  it('names straight quotes as the cause of typographic ones', async () => {
    write({ 'get.iml.json': '{ \u201curl\u201d: "/items" }' });
    expect((await checkFolder(folder)).findings).toMatchObject([
      { rule: 'cannot-load', message: expect.stringContaining('in straight double quotes') },
    ]);
  });

  it('reads levels and ignored folders from iml.config.json, beside the manifest or above it', async () => {
    write({
      'get.iml.json': '{ "url": "/{{shout(1)}}/{{temp.x}}" }',
      'iml.config.json':
        '{ "check": { "rules": { "unknown-function": "info", "unwritten-temp": "off" } } } // why',
    });
    expect((await checkFolder(folder)).findings).toMatchObject([{ rule: 'unknown-function', level: 'info' }]);
    writeFileSync(path.join(folder, 'iml.config.json'), '{ "check": { "ignore": ["get.iml.json"] } }');
    expect(await checkFolder(folder)).toMatchObject({ findings: [], ignored: 2 });
  });

  it.each([
    [
      '{ "check": { "rules": { "dead-brnch": "off" } } }',
      'There is no rule "dead-brnch". Did you mean "dead-branch"?',
    ],
    [
      '{ "check": { "rules": { "dead-branch": "loud" } } }',
      'The level of a rule is one of error, warning, info, off.',
    ],
    ['{ "chek": {} }', 'There is no setting "chek". Did you mean "check"?'],
    ['[]', 'The file is not an object.'],
    ['{', 'Expected'],
  ])('refuses the settings %s', async (text, message) => {
    write({ 'get.iml.json': '{}', 'iml.config.json': text });
    const { findings } = await checkFolder(folder);
    expect(findings).toMatchObject([
      { rule: 'unusable-settings', level: 'error', place: { file: 'iml.config.json', line: 1 } },
    ]);
    expect(findings[0]?.message).toContain(message);
    expect(findings[0]?.message).not.toContain('iml.config.json:1');
  });

  describe('reads settings and the files that they name', () => {
    const CANARY = 'CANARY-of-another-file';
    const SCENARIOS = '{ "scenarios": [] }';
    let app: string;
    beforeEach(() => {
      app = path.join(folder, 'app');
      mkdirSync(path.join(app, 'hosts'), { recursive: true });
      write({ 'get.iml.json': '{ "url": "/a" }' }, app);
      mkdirSync(path.join(folder, 'outside'));
      writeFileSync(path.join(folder, 'outside/creds'), CANARY);
      writeFileSync(path.join(folder, 'outside/iml.config.json'), `{ "check": ${CANARY} }`);
    });
    const settle = (at: string, content: string): void => writeFileSync(path.join(app, at), content);
    /** The only diagnostic. It reveals nothing about the other file. */
    async function refusal(): Promise<Finding | undefined> {
      const { findings } = await checkFolder(app);
      expect(JSON.stringify(findings)).not.toContain('CANARY');
      expect(findings).toHaveLength(1);
      expect(findings[0]?.rule).toBe('unusable-settings');
      return findings[0];
    }

    it.each([
      ['"hosts/a.json"', 'hosts/a.json'],
      ['["hosts/a.json", "./hosts/a.json", "hosts/../hosts/link.json"]', 'hosts/a.json'],
    ])('reads scenarios in the folder of the settings: %s', async (named, file) => {
      settle('iml.config.json', `{ "scenarios": ${named} }`);
      settle('hosts/a.json', SCENARIOS.replace('[]', '[{}]'));
      symlinkSync('a.json', path.join(app, 'hosts/link.json'));
      const { findings } = await checkFolder(app);
      expect(findings[0]).toMatchObject({ rule: 'scenario-file', place: { file } });
      expect(findings).toHaveLength(named.includes('link') ? 2 : 1);
    });

    it('reads the files relative to settings above the app', async () => {
      mkdirSync(path.join(folder, 'hosts'));
      writeFileSync(path.join(folder, 'iml.config.json'), '{ "scenarios": ["hosts/a.json"] }');
      writeFileSync(path.join(folder, 'hosts/a.json'), SCENARIOS.replace('[]', '[{}]'));
      const { findings } = await checkFolder(app);
      expect(findings).toMatchObject([{ rule: 'scenario-file', place: { file: '../hosts/a.json' } }]);
      writeFileSync(path.join(folder, 'hosts/a.json'), CANARY);
      const [finding] = (await checkFolder(app)).findings;
      expect(finding).toMatchObject({ rule: 'scenario-file', place: { file: '../hosts/a.json', line: 1 } });
      expect(finding?.message).not.toContain('CANARY');
      writeFileSync(path.join(folder, 'iml.config.json'), CANARY);
      expect(await refusal()).toMatchObject({
        message: expect.stringMatching(/^Expected JSON with comments/),
        place: { file: '../iml.config.json', line: 1, column: 1 },
      });
    });

    it.each([
      [
        '../outside/creds',
        'lies outside of the folder of iml.config.json: expected a file in it or below it',
      ],
      ['hosts/link.json', 'lies outside of the folder of iml.config.json: expected a file in it or below it'],
      ['linked/creds', 'lies outside of the folder of iml.config.json: expected a file in it or below it'],
      ['/etc/passwd', 'is not a relative path'],
      ['.env', 'is hidden (.env)'],
      ['hosts/.secrets/key', 'is hidden (.secrets)'],
      ['hosts', 'is not a regular file'],
      ['large.json', 'has more than 1048576 bytes'],
      ['absent.json', 'There is no file of scenarios "absent.json".'],
    ])('never reads %s', async (named, message) => {
      settle('iml.config.json', JSON.stringify({ scenarios: ['hosts/a.json', named] }));
      settle('hosts/a.json', SCENARIOS);
      settle('.env', CANARY);
      settle('large.json', `${SCENARIOS}${' '.repeat(2 * 1024 * 1024)}`);
      symlinkSync('../../outside/creds', path.join(app, 'hosts/link.json'));
      symlinkSync('../outside', path.join(app, 'linked'));
      const finding = await refusal();
      expect(finding).toMatchObject({ place: { file: 'iml.config.json', pointer: '/scenarios/1', line: 1 } });
      expect(finding?.message).toContain(message);
    });

    it('refuses links of settings and scenarios out of the folder', async () => {
      symlinkSync('../outside/iml.config.json', path.join(app, 'iml.config.json'));
      expect((await refusal())?.message).toContain('leads out of its folder by a link');
      rmSync(path.join(app, 'iml.config.json'));
      symlinkSync('../outside/creds', path.join(app, 'scenarios.json'));
      expect((await refusal())?.message).toContain("is outside the app's folder");
    });

    it.runIf(process.platform === 'linux')('and waits for no pipe, reads no device', async () => {
      execFileSync('mkfifo', [path.join(app, 'iml.config.json')]);
      expect((await refusal())?.message).toContain('is not a regular file');
      rmSync(path.join(app, 'iml.config.json'));
      symlinkSync('/dev/zero', path.join(app, 'iml.config.json'));
      expect((await refusal())?.message).toContain('leads out of its folder by a link');
      rmSync(path.join(app, 'iml.config.json'));
      settle('iml.config.json', '{ "scenarios": "pipe" }');
      execFileSync('mkfifo', [path.join(app, 'pipe')]);
      expect((await refusal())?.message).toContain('is not a regular file');
    });
  });

  it('ignores the rule of a comment on its line and the next one', async () => {
    write({
      'get.iml.json': [
        '{',
        '  "url": "/{{shout(1)}}", // iml-ignore unknown-function: the host adds it',
        '  // iml-ignore unknown-function, unwritten-temp',
        '  "qs": { "a": "{{shout(temp.x)}}" },',
        '  "headers": { "a": "{{shout(2)}}" }',
        '}',
      ].join('\n'),
    });
    expect(await checkFolder(folder)).toMatchObject({ findings: [{ place: { line: 5 } }], ignored: 3 });
  });

  it('reports a comment that names an unknown rule', async () => {
    write({ 'get.iml.json': '{ "url": "/a" } // iml-ignore unknown-funtion' });
    expect((await checkFolder(folder)).findings).toMatchObject([
      {
        rule: 'unknown-rule',
        message: 'There is no rule "unknown-funtion". Did you mean "unknown-function"?',
      },
    ]);
  });

  it('applies fixes and changes nothing else', async () => {
    const text =
      '{\n  "url": "/{{formatdate(now; YYYY-MM-DD)}}", // stays\n  "qs": { "w": "{{temp.a-b}}" },\n  "temp": { "a-b": 1 }\n}';
    write({ 'get.iml.json': text });
    const first = applyFixes(text, 'get.iml.json', (await checkFolder(folder)).findings);
    write({ 'get.iml.json': first.text });
    const second = applyFixes(first.text, 'get.iml.json', (await checkFolder(folder)).findings);
    expect(second.text).toBe(
      '{\n  "url": "/{{formatDate(now; \'YYYY-MM-DD\')}}", // stays\n  "qs": { "w": "{{temp.`a-b`}}" },\n  "temp": { "a-b": 1 }\n}',
    );
    write({ 'get.iml.json': second.text });
    expect(await rulesOf()).toEqual([]);
    expect(readFileSync(path.join(folder, 'base.iml.json'), 'utf8')).toBe(
      '{"baseUrl":"https://api.example.com"}',
    );
  });
});

describe('a report', () => {
  it('contains rule, level, file and region as SARIF', async () => {
    write({ 'get.iml.json': '{ "url": "/{{shout(1)}}" }' });
    const sarif = createSarif(await checkFolder(folder), describeCheck('1.2.3'));
    expect(sarif).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          results: [
            {
              ruleId: 'unknown-function',
              level: 'error',
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'get.iml.json', uriBaseId: 'APP' },
                    region: { startLine: 1, startColumn: 14, endColumn: 19 },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it('escapes characters that would end an annotation', () => {
    const finding = {
      rule: 'x',
      level: 'warning',
      message: 'two\nlines, 100%',
      place: { file: 'a,b:c.json', line: 3, column: 5 },
    } as const;
    expect(createAnnotations([finding], (file) => `app/${file}`)).toBe(
      '::warning file=app/a%2Cb%3Ac.json,line=3,col=5,title=x::two%0Alines, 100%25\n',
    );
  });
});
