import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const PAGE = path.resolve(import.meta.dirname, '../../dist/page');

describe('the built page', () => {
  it('exists', () => {
    expect(existsSync(path.join(PAGE, 'index.html')), 'npm run build makes it').toBe(true);
  });

  it('renders before its script runs: the first paint waits for one style sheet and a small script', () => {
    const html = readFileSync(path.join(PAGE, 'index.html'), 'utf8');
    expect([...html.matchAll(/<link rel="(?!icon)[^"]*"/g)]).toHaveLength(1);
    const [, script = ''] = /<script type="module" src="\/([^"]+)"/.exec(html) ?? [];
    expect(readFileSync(path.join(PAGE, script), 'utf8').length).toBeLessThan(1000);
    expect(html.indexOf('<script')).toBeGreaterThan(html.indexOf('<header'));
  });

  it('loads nothing from other hosts and contains no inline script', () => {
    const html = readFileSync(path.join(PAGE, 'index.html'), 'utf8');
    const addresses = new Set([...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address));
    expect([...addresses].sort()).toEqual([
      '#/',
      '/icon.svg',
      expect.stringMatching(/^\/page-[A-Z0-9]{8}\.css$/),
      expect.stringMatching(/^\/start-[A-Z0-9]{8}\.js$/),
    ]);
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\son[a-z]+=/);
  });
});
