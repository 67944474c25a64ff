import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';

const SITE = 'https://iml-runtime.github.io/iml-runtime/';
const ABOUT = 'Runs Make custom apps outside Make: on a laptop, in CI, inside a scenario runner.';
const DOCS = path.resolve(import.meta.dirname, '..');

/** The generated pages of a folder, by name. `npm run docs` writes them. */
function listPages(folder: string): { text: string; link: string }[] {
  return readdirSync(path.join(DOCS, folder))
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => file.slice(0, -'.md'.length))
    .sort()
    .map((name) => ({ text: name, link: `/${folder}/${name}` }));
}

export default defineConfig({
  title: 'iml-runtime',
  description: ABOUT,
  lang: 'en',
  base: '/iml-runtime/',
  srcDir: DOCS,
  outDir: path.resolve(DOCS, '../dist/site'),
  cacheDir: path.resolve(DOCS, '../node_modules/.cache/vitepress'),
  rewrites: { 'README.md': 'index.md' },
  // Expressions contain braces, which Vue would evaluate.
  markdown: { config: (markdown) => markdown.use(escapeBraces) },
  buildEnd: writeTexts,
  sitemap: { hostname: SITE },
  themeConfig: {
    // The index is part of the site: search works offline.
    search: { provider: 'local' },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: 'https://github.com/iml-runtime/iml-runtime' }],
    sidebar: [
      {
        text: 'Apps',
        items: [
          { text: 'Getting started', link: '/getting-started' },
          { text: 'Files of an app', link: '/app-files' },
          { text: 'Life of an app', link: '/app-life' },
          { text: 'Connections', link: '/connections' },
          { text: 'Endpoints', link: '/endpoints' },
          { text: 'Tests', link: '/testing' },
          { text: 'Unit tests', link: '/unit-tests' },
          { text: 'CI', link: '/ci' },
          { text: 'Speed', link: '/how-fast' },
          { text: 'iml dev', link: '/dev' },
          { text: 'Editors', link: '/editors' },
          { text: 'Differences to Make', link: '/differences' },
          { text: 'Questions', link: '/questions' },
        ],
      },
      {
        text: 'Embedding and hosting',
        items: [
          { text: 'The library', link: '/embedding' },
          { text: 'Servers and bundlers', link: '/servers' },
          { text: 'Isolation', link: '/isolation' },
          { text: 'A runner', link: '/runner' },
          { text: 'iml serve', link: '/serve' },
          { text: 'Operation', link: '/operation' },
          { text: 'Scale', link: '/scale' },
          { text: 'REST API v2', link: '/rest' },
          { text: 'Security', link: '/security' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'Playground', link: '/playground' },
          { text: 'Functions of IML', link: '/functions/' },
          { text: 'Functions', collapsed: true, items: listPages('functions') },
          { text: 'Limits', link: '/limits' },
          { text: 'Errors', link: '/errors' },
          { text: 'Words and marks', link: '/words' },
          { text: 'The command', link: '/command' },
          {
            text: 'Commands',
            collapsed: true,
            items: [{ text: 'All commands', link: '/commands/' }, ...listPages('commands')],
          },
          { text: 'Rules of iml check', link: '/rules/' },
          { text: 'Rules', collapsed: true, items: listPages('rules') },
          { text: 'API', collapsed: true, items: [{ text: 'Entries', link: '/api/' }, ...listPages('api')] },
        ],
      },
    ],
  },
});

/** Writes each page as Markdown beside its HTML, llms.txt (their titles) and llms-full.txt (their texts). */
function writeTexts({ pages, outDir }: { readonly pages: readonly string[]; readonly outDir: string }): void {
  const texts = pages.toSorted().map((file) => [file, readFileSync(path.join(DOCS, file), 'utf8')] as const);
  const lines = texts.map(([file, text]) => `- [${/^# (.+)/m.exec(text)?.[1] ?? file}](${SITE}${file})`);
  for (const [file, text] of texts) {
    const target = path.join(outDir, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  const head = `# iml-runtime\n\n> ${ABOUT}\n`;
  writeFileSync(path.join(outDir, 'llms.txt'), `${head}\n## Pages\n\n${lines.join('\n')}\n`);
  const all = texts.map(([file, text]) => `<!-- ${file} -->\n\n${text}`);
  writeFileSync(path.join(outDir, 'llms-full.txt'), `${head}\n${all.join('\n')}`);
}

interface Markdown {
  readonly renderer: {
    readonly rules: Record<string, ((...args: never[]) => string) | undefined>;
  };
}

/** Marks inline code and text with braces as content that Vue leaves as it is. */
function escapeBraces(markdown: Markdown): void {
  const { rules } = markdown.renderer;
  for (const name of ['text', 'code_inline']) {
    const rule = rules[name];
    rules[name] = (...args) => {
      const html = rule?.(...args) ?? '';
      return html.replaceAll('{{', '&#123;&#123;').replaceAll('}}', '&#125;&#125;');
    };
  }
}
