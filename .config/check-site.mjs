// Checks the built site: links and anchors lead somewhere, and pages load nothing from other hosts.
// Usage: `node .config/check-site.mjs [FOLDER]`. Default: dist/site.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const BASE = '/iml-runtime/';
const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '../dist/site'));
const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
);
const texts = new Map(
  pages.map((name) => [path.join(root, name), readFileSync(path.join(root, name), 'utf8')]),
);
const problems = [];

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

for (const problem of [...new Set(problems)].slice(0, 20)) console.error(problem);
console.log(`${pages.length} pages, ${problems.length} problems`);
process.exitCode = problems.length === 0 && pages.length > 0 ? 0 : 1;
