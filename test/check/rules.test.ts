import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AppDefinition } from '../../src/app/assembling/app-definition.js';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { checkApp } from '../../src/check/check-app.js';
import { checkFolder } from '../../src/check/check-folder.js';
import type { Finding } from '../../src/check/finding.js';
import { RULES } from '../../src/check/rules.js';

interface RuleCase {
  readonly title: string;
  readonly app?: AppDefinition;
  /** Text by path, for what only files can show. */
  readonly files?: Readonly<Record<string, string>>;
  /** None for a case the rule has nothing to tell of. */
  readonly findings: readonly {
    readonly pointer?: string;
    readonly file?: string;
    readonly line?: number;
    readonly message?: string;
  }[];
}

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
    const all = app === undefined ? await checkFiles(written ?? {}) : await checkApp(defineApp(app));
    const found = all.filter((finding) => finding.rule === rule);
    expect(found).toHaveLength(findings.length);
    for (const [index, { message, ...place }] of findings.entries()) {
      expect(found[index]?.place).toMatchObject(place);
      if (message !== undefined) expect(found[index]?.message).toContain(message);
    }
  });
});

it('every rule has a case that fires and one that does not', () => {
  const tried = (isFiring: boolean): string[] =>
    files
      .filter(({ cases }) => cases.some(({ findings }) => findings.length > 0 === isFiring))
      .map(({ rule }) => rule)
      .sort();
  const ids = RULES.map(({ id }) => id).sort();
  expect(tried(true)).toEqual(ids);
  expect(tried(false)).toEqual(ids);
});

it('every rule is found by its name: it stands in a file called so', async () => {
  const folder = path.join(import.meta.dirname, '../../src/check/rules');
  const helpers = ['loader-rule.ts', 'member-rule.ts'];
  const ruleFiles = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !helpers.includes(path.basename(file)),
  );
  for (const file of ruleFiles) {
    const found = Object.values((await import(path.join(folder, file))) as Record<string, unknown>);
    expect(found, file).toEqual([expect.objectContaining({ id: path.basename(file, '.ts') })]);
  }
  expect(ruleFiles).toHaveLength(RULES.length);
});

async function checkFiles(written: Readonly<Record<string, string>>): Promise<readonly Finding[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'iml-check-'));
  try {
    for (const [file, text] of Object.entries(written)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    return (await checkFolder(folder)).findings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
