import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AppDefinition, defineApp } from '../../src/index.js';
import { checkApp } from '../../src/tools/check/check-app.js';
import { RULES } from '../../src/tools/check/rules.js';
import type { CheckSettings } from '../../src/tools/check/settings.js';
import { checkFolder, type Finding } from './check-folder.js';

interface RuleCase {
  readonly title: string;
  readonly app?: AppDefinition;
  /** Files by path, for rules about files. */
  readonly files?: Readonly<Record<string, string>>;
  /** Empty for a case without a diagnostic. */
  readonly findings: readonly {
    readonly pointer?: string;
    readonly file?: string;
    readonly line?: number;
    readonly message?: string;
  }[];
}

const REVIEW: CheckSettings = { levels: {}, profile: 'review' };

const FOLDER = path.join(import.meta.dirname, '../../spec-fixtures/rules');
const files = readdirSync(FOLDER).map(
  (file) =>
    JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as {
      readonly rule: string;
      readonly cases: readonly RuleCase[];
    },
);

describe.each(files)('$rule', ({ rule, cases }) => {
  it.each(cases)('$title', async ({ app, files: written, findings }) => {
    const all = app === undefined ? await checkFiles(written ?? {}) : await checkApp(defineApp(app), REVIEW);
    const found = all.filter((finding) => finding.rule === rule);
    expect(found).toHaveLength(findings.length);
    for (const [index, { message, ...place }] of findings.entries()) {
      expect(found[index]?.place).toMatchObject(place);
      if (message !== undefined) expect(found[index]?.message).toContain(message);
    }
  });
});

it('every rule has a case with a finding and one without', () => {
  const tried = (isFiring: boolean): string[] =>
    files
      .filter(({ cases }) => cases.some(({ findings }) => findings.length > 0 === isFiring))
      .map(({ rule }) => rule)
      .sort();
  const ids = RULES.map(({ id }) => id).sort();
  expect(tried(true)).toEqual(ids);
  expect(tried(false)).toEqual(ids);
});

async function checkFiles(written: Readonly<Record<string, string>>): Promise<readonly Finding[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'iml-check-'));
  try {
    for (const [file, text] of Object.entries(written)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    return (await checkFolder(folder, 'review')).findings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
