import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const PAGE = path.resolve(import.meta.dirname, '../../dist/page');

/** Kilobytes, compressed, that a browser fetches before the page is there; and of an editor, when the first one opens. */
const MAX_AT_FIRST = 60;
const MAX_EDITOR = 140;

function weigh(files: readonly string[]): number {
  return (
    files.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(PAGE, file))).byteLength, 0) / 1000
  );
}

describe('the built page', () => {
  it('is there', () => {
    expect(existsSync(path.join(PAGE, 'index.html')), 'npm run build makes it').toBe(true);
  });

  it('weighs little at first, and editors wait until one opens', () => {
    const scripts = readdirSync(PAGE).filter((file) => file.endsWith('.js'));
    const first = /* what the page names, and what that imports at once */ [
      'page.js',
      'page.css',
      'index.html',
      'icon.svg',
    ];
    const imported = [...readFileSync(path.join(PAGE, 'page.js'), 'utf8').matchAll(/from"\.\/([^"]+)"/g)].map(
      ([, file]) => file ?? '',
    );
    expect(weigh([...first, ...imported])).toBeLessThanOrEqual(MAX_AT_FIRST);
    expect(weigh(scripts.filter((file) => file.startsWith('code-editor-')))).toBeLessThanOrEqual(MAX_EDITOR);
  });

  it('fetches nothing from elsewhere and writes no script into itself', () => {
    const html = readFileSync(path.join(PAGE, 'index.html'), 'utf8');
    const addresses = new Set([...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address));
    expect([...addresses].sort()).toEqual(['#/', '/icon.svg', '/page.css', '/page.js']);
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\son[a-z]+=/);
  });
});
