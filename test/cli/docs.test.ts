import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CORPUS, CORPUS_APPS } from '../corpus.js';
import { type CliResult, cli } from './fake-io.js';

const BOOKSHOP = path.join(import.meta.dirname, '../../spec-fixtures/bookshop');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-docs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const iml = (...args: readonly string[]): Promise<CliResult> => cli(args, { cwd: folder });
const page = (): string => readFileSync(path.join(folder, 'page.md'), 'utf8');

describe('iml docs', () => {
  it('lists connections, and modules by group with their fields, output and limits', async () => {
    const { code, out } = await iml('docs', BOOKSHOP);
    expect(code).toBe(0);
    expect(out).toContain('### Bookshop `bookshopKey`');
    expect(out).toContain('### List books `listBooks`');
    expect(out).toContain('Search · connection Bookshop');
    expect(out).toMatch(/\| `limit` \| uinteger/);
    expect(out).toContain('| Output | Type | Description |');
  });

  it('keeps the text around the generated part, and changes nothing in a second run', async () => {
    writeFileSync(path.join(folder, 'page.md'), '# Ours\n\nOur text.\n');
    expect((await iml('docs', BOOKSHOP, '-o', 'page.md')).code).toBe(0);
    const first = page();
    expect(first).toMatch(/^# Ours\n\nOur text\.\n\n<!-- iml docs: begin/);
    writeFileSync(path.join(folder, 'page.md'), `${first.replace('`listBooks`', '`old`')}\nMore of ours.\n`);
    await iml('docs', BOOKSHOP, '-o', 'page.md');
    expect(page()).toBe(`${first}\nMore of ours.\n`);
    await iml('docs', BOOKSHOP, '-o', 'page.md');
    expect(page()).toBe(`${first}\nMore of ours.\n`);
  });

  it('leaves a page with one of the two lines as it is', async () => {
    const text = '<!-- iml docs: end -->\n';
    writeFileSync(path.join(folder, 'page.md'), text);
    const refused = await iml('docs', BOOKSHOP, '-o', 'page.md');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('was left as it is') });
    expect(page()).toBe(text);
  });

  it('cannot be broken by texts of the app, and shows no default of a password', async () => {
    cpSync(BOOKSHOP, path.join(folder, 'app'), { recursive: true });
    const file = path.join(folder, 'app/connections/bookshop-key/bookshop-key.params.iml.json');
    const field = {
      name: 'a|b',
      label: 'x | y\n<script>',
      type: 'password',
      default: 'secret-value',
      help: '<!-- iml docs: end -->',
    };
    writeFileSync(file, JSON.stringify([field]));
    const { out } = await iml('docs', 'app');
    expect(out).toContain('| `a\\|b` | password | x \\| y &lt;script>. &lt;!-- iml docs: end --> |');
    expect(out).not.toContain('secret-value');
  });

  it('lets no code, link, picture or HTML of an app into the page', async () => {
    cpSync(BOOKSHOP, path.join(folder, 'app'), { recursive: true });
    const file = path.join(folder, 'app/connections/bookshop-key/bookshop-key.params.iml.json');
    const evil = '<img src=x onerror=alert(1)>';
    const fields = [
      { name: 'a', label: 'Open ` here', type: 'select', options: [{ value: evil }, { value: '' }] },
      { name: 'b', label: 'x', type: evil, help: '[x](javascript:alert(1)) ![y](https://evil.example/p)\\|' },
      { name: 'c', label: 'x', type: 'select', options: [{ value: '<!-- iml docs: end -->' }] },
    ];
    writeFileSync(file, JSON.stringify(fields));
    const { out } = await iml('docs', 'app');
    expect(out).toContain('Open \\` here. One of `<img src=x onerror=alert(1)>`, `""`.');
    expect(out).toContain('\\[x\\](javascript:alert(1)) !\\[y\\](https://evil.example/p)\\\\\\|');
    expect(out.replace(/(?<!\\)`[^`]*`/g, '')).not.toContain('<img');
    await iml('docs', 'app', '-o', 'page.md');
    const first = page();
    await iml('docs', 'app', '-o', 'page.md');
    expect(page()).toBe(first);
  });

  it.each(CORPUS_APPS)('names every module of %s', async (name) => {
    const app = path.join(CORPUS, name);
    const { components } = JSON.parse(readFileSync(path.join(app, 'makecomapp.json'), 'utf8'));
    const { code, out } = await iml('docs', app);
    expect(code).toBe(0);
    for (const module of Object.keys(components.module)) expect(out).toContain(`\`${module}\`\n`);
  });
});
