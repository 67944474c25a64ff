import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppDefinition, defineApp } from '../../src/index.js';
import { checkApp } from '../../src/tools/check/check-app.js';
import { createSarif, describeCheck } from '../../src/tools/check/reports.js';
import { checkFolder } from './check-folder.js';

const require = createRequire(import.meta.url);

/** The schema of SARIF 2.1.0. Its draft 4 differs from draft 7 in `id` alone, as far as it is used there. */
const {
  id: _id,
  $schema: _draft,
  ...SCHEMA
} = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json') as Readonly<Record<string, unknown>>;

const validate = new Ajv({
  strict: false,
  allErrors: true,
  // One of its patterns is invalid with the flag `u`.
  unicodeRegExp: false,
  formats: {
    uri: (text) => URL.canParse(text),
    'uri-reference': (text) => !/[\s#"<>\\^`{|}]/.test(text) && URL.canParse(text, 'file:///app/'),
    'date-time': (text) => !Number.isNaN(Date.parse(text)),
  },
}).compile(SCHEMA);

const errorsOf = (sarif: unknown): unknown => (validate(sarif) ? [] : validate.errors);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml sarif ü#-'));
  mkdirSync(path.join(folder, '.git'));
  writeFileSync(path.join(folder, '.git/HEAD'), 'ref');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(communication: string, text: string): void {
  const module = { moduleType: 'action', codeFiles: { communication } };
  const manifest = { fileVersion: 1, generalCodeFiles: {}, components: { module: { get: module } } };
  writeFileSync(path.join(folder, 'makecomapp.json'), JSON.stringify(manifest));
  writeFileSync(path.join(folder, communication), text);
}

describe('a report as SARIF is valid by the schema of SARIF 2.1.0', () => {
  it('the schema reports invalid members', () => {
    expect(errorsOf({ version: '2.1.0', runs: [{ tool: {}, results: [{ message: 'x' }] }] })).not.toEqual([]);
  });

  it('with each finding of each rule', async () => {
    const fixtures = path.join(import.meta.dirname, '../../spec-fixtures/rules');
    const apps = readdirSync(fixtures).flatMap((file) => {
      const { cases } = JSON.parse(readFileSync(path.join(fixtures, file), 'utf8')) as {
        readonly cases: readonly { readonly app?: AppDefinition }[];
      };
      return cases.flatMap(({ app }) => app ?? []);
    });
    const findings = (await Promise.all(apps.map((app) => checkApp(defineApp(app))))).flat();
    const report = { root: folder, app: 'sample', findings, ignored: 0 };
    expect(errorsOf(createSarif(report, describeCheck('1.2.3')))).toEqual([]);
  });

  it('with regions, and files with any name', async () => {
    write(
      'get ü#50%.iml.json',
      '{ "url": "https://a.example/{{shout(1)}}", "qs": [], "respones": "{{body.id" }',
    );
    const sarif = createSarif(await checkFolder(folder), describeCheck('1.2.3-rc.1'));
    expect(errorsOf(sarif)).toEqual([]);
    const [run] = sarif['runs'] as readonly [
      {
        readonly originalUriBaseIds: { readonly APP: { readonly uri: string } };
        readonly results: readonly {
          readonly locations: readonly [
            { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } },
          ];
        }[];
      },
    ];
    expect(run.results.length).toBeGreaterThan(2);
    for (const { locations } of run.results) {
      const { uri } = locations[0].physicalLocation.artifactLocation;
      const target = new URL(uri, run.originalUriBaseIds.APP.uri);
      expect(readFileSync(target, 'utf8')).toContain('shout');
    }
  });

  it('of an app that does not load', async () => {
    write('get.iml.json', '{ "url": ');
    expect(errorsOf(createSarif(await checkFolder(folder), describeCheck('1.2.3')))).toEqual([]);
  });
});
