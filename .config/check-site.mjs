// Checks the built site: links and anchors lead somewhere, pages load nothing from other hosts, and the search finds
// answers to questions of the field.
// Usage: `node .config/check-site.mjs [FOLDER]`. Default: dist/site.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const BASE = '/iml-runtime/';
const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '../dist/site'));
const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
);
const texts = new Map(
  pages.map((name) => [path.join(root, name), readFileSync(path.join(root, name), 'utf8')]),
);
const problems = [];

/** What people type, and a part of the address that answers it. It must be one of the first three results. */
const SEARCHES = {
  'only first 100 records': 'cursor-in-the-body',
  'pagination cursor body': 'pagination-the-next-page',
  'error type 404': 'error-type-for-status-404',
  'scenario stops 429': 'scenario-stop-on-429',
  'verify stripe signature': 'signature-of-a-stripe-or-github-webhook',
  'webhook hmac raw body': 'signature-of-a-stripe-or-github-webhook',
  'webhook answer 401': 'signature-of-a-stripe-or-github-webhook',
  glossary: 'words.html',
  'oauth token expires refresh': 'oauth-token-expires',
  'test token refresh': 'oauth-token-expires',
  'list in query string': 'array-in-a-query-string',
  'array qs comma': 'array-in-a-query-string',
  'multipart upload': 'upload-a-file-with-multipart',
  'file name of upload': 'upload-a-file-with-multipart',
  'trigger first run nothing': 'it-returns-nothing-at-its-first-run',
  'trigger empty': 'returns-nothing-at-its-first-run',
  'watch module empty': 'returns-nothing-at-its-first-run',
  'moment format': 'tokens-of-formats',
  'not found 404': 'error-type-for-status-404',
  epoch: 'what-does-the-epoch-do',
  'parsedate empty': 'why-is-parsedate',
  'invalid date': 'invalid-date-why-is-parsedate',
  'date format tokens': 'tokens-of-formats',
  'github actions': 'ci.html',
  'what fails the build': 'what-fails-the-build',
  'push to make without overwriting': 'push-my-app-to-make',
  'colleague changed web editor': 'push-my-app-to-make',
  '3200 records': 'after-3-200-records',
  'timeout 40 seconds': '40-seconds',
  'custom function console require async': 'console-require-async-buffer',
  'buffer in custom function': 'console-require-async-buffer',
  'embed the engine': 'embedding-the-library',
  'limit a tenant': 'what-one-tenant-can-do',
  'backup serve': 'backup-and-restore',
  'rotate key': 'key-rotation',
};

/** The file that a link of the site names. */
function fileOf(pathname) {
  const file = path.join(root, decodeURIComponent(pathname));
  if (pathname === '' || pathname.endsWith('/')) return path.join(file, 'index.html');
  return existsSync(file) ? file : `${file}.html`;
}

for (const [page, html] of texts) {
  const name = path.relative(root, page);
  for (const [, tag, url] of html.matchAll(
    /<(script|link|img|iframe)\b[^>]*\s(?:src|href)="(https?:[^"]*)"/g,
  )) {
    if (tag !== 'link' || /rel="(?:stylesheet|preload|modulepreload|icon)"/.test(html)) {
      if (!html.includes(`rel="canonical" href="${url}"`)) problems.push(`${name} loads ${url}`);
    }
  }
  for (const [, href] of html.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)) {
    const { origin, pathname, hash } = new URL(href.replaceAll('&amp;', '&'), `http://site${BASE}${name}`);
    if (origin !== 'http://site') continue;
    const target = pathname.startsWith(BASE) ? fileOf(pathname.slice(BASE.length)) : undefined;
    if (target === undefined || !existsSync(target))
      problems.push(`${name} links to ${href}, which does not exist`);
    // The hash of the playground contains its inputs.
    else if (pathname === `${BASE}playground.html`) continue;
    else if (hash !== '' && !texts.get(target)?.includes(` id="${decodeURIComponent(hash.slice(1))}"`))
      problems.push(`${name} links to ${href}, whose anchor does not exist`);
  }
}

// The options are those of the search box of VitePress.
const chunks = path.join(root, 'assets/chunks');
const index = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndexroot'));
const { default: MiniSearch } = await import(
  createRequire(import.meta.resolve('vitepress')).resolve('minisearch')
);
const search = MiniSearch.loadJSON((await import(pathToFileURL(path.join(chunks, index)).href)).default, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
});
for (const [query, answer] of Object.entries(SEARCHES)) {
  const found = search
    .search(query)
    .slice(0, 3)
    .map(({ id }) => id.slice(BASE.length));
  if (!found.some((id) => id.includes(answer)))
    problems.push(`The search for "${query}" finds ${found.join(', ')} instead of ${answer}`);
}

for (const problem of [...new Set(problems)].slice(0, 20)) console.error(problem);
console.log(`${pages.length} pages, ${problems.length} problems`);
process.exitCode = problems.length === 0 && pages.length > 0 ? 0 : 1;
