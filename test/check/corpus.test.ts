import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CORPUS, isInCorpus } from '../corpus.js';
import { checkFolder } from './check-folder.js';

const ICHY = 'Ichy77__Open-Source-Make-Apps/src';
const APPS = [
  'doorbell',
  'fonts',
  'postbox',
  'warehouse',
  'HedyAI__make-app-hedy',
  'Linked-API__linkedapi-make/src',
  'letmepost__make-app-letmepost',
  'TomPhillipsLabs__make-loopquest',
  'sudomock__sudomock-make-app/src/sudomock',
  ...['bland-ai', 'chat-pdf', 'freepik', 'heygen', 'mistral-ai', 'openrouter', 'supabase'].map(
    (name) => `${ICHY}/${name}`,
  ),
].filter(isInCorpus);

/** Reviewed diagnostics. The file contains the reasons. */
const REVIEWED = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'corpus-findings.json'), 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, string>>>>;

describe('apps of the corpus', () => {
  it.each(APPS)('reports only known findings for %s', async (app) => {
    const { findings } = await checkFolder(path.join(CORPUS, app));
    const lines = findings.map(({ rule, place }) => `${rule} ${place.file ?? ''}:${place.line ?? 0}`);
    expect([...new Set(lines)].sort()).toEqual(Object.keys(REVIEWED[app] ?? {}).sort());
  });

  it.each(readMistakes())('finds "$title"', async ({ app, file, from, to, line }) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'iml-check-'));
    try {
      cpSync(path.join(CORPUS, app), folder, { recursive: true });
      const text = readFileSync(path.join(folder, file), 'utf8');
      expect(text).toContain(from);
      const before = await checkFolder(folder);
      writeFileSync(path.join(folder, file), text.replace(from, to));
      const { findings } = await checkFolder(folder);
      const known = new Set(before.findings.map(({ rule, place }) => `${rule} ${place.file} ${place.line}`));
      const found = findings.filter(({ rule, place }) => !known.has(`${rule} ${place.file} ${place.line}`));
      expect(found.map(({ place }) => `${place.file}:${place.line}`)).toContain(`${file}:${line}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

interface Mistake {
  readonly title: string;
  readonly app: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly line: number;
}

function readMistakes(): readonly Mistake[] {
  const all = JSON.parse(
    readFileSync(path.join(import.meta.dirname, 'corpus-mistakes.json'), 'utf8'),
  ) as readonly Mistake[];
  return all.filter(({ app }) => isInCorpus(app));
}
