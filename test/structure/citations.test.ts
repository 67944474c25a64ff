import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Notes outside the repository, by the path of their folder or the name of a page. */
const PRIVATE_PAGES: readonly RegExp[] = [
  /\breference\/[a-z-]+\.md/,
  /(?<![\w-])(?:iml-language|iml-functions|request-spec|response-spec|open-questions|hostile-inputs|errors-and-scenario)\.md/,
  /\b(?:design|structure)\.md/,
  /\bspecification\/\d{3}/,
  /\bconformance\/README/,
];

const isText = (name: string): boolean => /\.(?:ts|mts|md|json)$/.test(name);

function listCitations(folder: string): readonly string[] {
  const own = path.join('test', 'structure', 'citations.test.ts');
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((name) => isText(name) && name !== own && !name.includes('node_modules'))
    .flatMap((name) =>
      readFileSync(path.join(ROOT, name), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          PRIVATE_PAGES.some((page) => page.test(line)) ? [`${name}:${index + 1}`] : [],
        ),
    );
}

describe('comments cite public sources', () => {
  it.each(['src', 'test', 'bench', 'docs', 'spec-fixtures'])('in %s', (folder) => {
    expect(listCitations(folder)).toEqual([]);
  });

  it('finds a citation of each kind', () => {
    const samples = [
      'reference/webhooks.md',
      'iml-functions.md 4',
      'design.md',
      'specification/001',
      'conformance/README',
    ];
    expect(samples.filter((text) => !PRIVATE_PAGES.some((page) => page.test(text)))).toEqual([]);
  });
});
