import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Files, writeApp } from '../app/temp-app.js';
import { cli } from './fake-io.js';

const APP: Files = { 'acme/makecomapp.json': { fileVersion: 1, components: {}, origins: [] } };
const SERVER = { command: 'npx', args: ['--no', 'iml', 'mcp', 'acme', '--author'] };

const read = (folder: string, file: string): string => readFileSync(path.join(folder, file), 'utf8');

describe('iml init agents', () => {
  it('writes a section of AGENTS.md and the server of .mcp.json, and nothing the second time', async () => {
    const folder = writeApp(APP);
    const first = await cli(['init', 'agents'], { cwd: folder });
    expect(first).toMatchObject({ code: 0, err: 'Written: AGENTS.md, .mcp.json.\n' });
    expect(read(folder, 'AGENTS.md')).toContain('The folder `acme` is a custom app for Make');
    expect(JSON.parse(read(folder, '.mcp.json'))).toEqual({ mcpServers: { iml: SERVER } });
    expect(await cli(['init', 'agents'], { cwd: folder })).toMatchObject({
      code: 0,
      err: 'Nothing to write.\n',
    });
  });

  it('names a file of the package', async () => {
    const folder = writeApp(APP);
    await cli(['init', 'agents'], { cwd: folder });
    const [, file = ''] = /node_modules\/iml-runtime\/(\S+\.md)/.exec(read(folder, 'AGENTS.md')) ?? [];
    expect(existsSync(path.join(import.meta.dirname, '../..', file))).toBe(true);
  });

  it('keeps the text of others, and comments and other servers', async () => {
    const folder = writeApp({
      ...APP,
      'AGENTS.md': '# Ours\n\nOur text.\n',
      '.mcp.json': '{\n  // Ours.\n  "mcpServers": { "other": { "command": "x" } }\n}\n',
    });
    await cli(['init', 'agents', 'acme'], { cwd: folder });
    expect(read(folder, 'AGENTS.md')).toMatch(/^# Ours\n\nOur text\.\n\n<!-- iml init agents: begin/);
    const text = read(folder, '.mcp.json');
    expect(text).toContain('// Ours.');
    expect(JSON.parse(text.replace('// Ours.', ''))).toEqual({
      mcpServers: { other: { command: 'x' }, iml: SERVER },
    });
  });

  it('keeps another server of the same name', async () => {
    const file = '{"mcpServers":{"iml":{"command":"mine"}}}';
    const folder = writeApp({ ...APP, '.mcp.json': file });
    const { err } = await cli(['init', 'agents'], { cwd: folder });
    expect(err).toContain('.mcp.json has a server "iml" already, which stays.');
    expect(read(folder, '.mcp.json')).toBe(file);
  });

  it.each([
    ['.mcp.json', '[]', 'is no object with "mcpServers"'],
    ['AGENTS.md', '<!-- iml init agents: end -->\n', 'expected the line'],
  ])('leaves %s as it is if it has another form', async (file, text, message) => {
    const folder = writeApp({ ...APP, [file]: text });
    const refused = await cli(['init', 'agents'], { cwd: folder });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(read(folder, file)).toBe(text);
  });
});

describe('iml init', () => {
  it.each([['agents'], ['ci', 'github'], ['tests']])(
    'refuses %s %s in a folder without an app',
    async (...what) => {
      const folder = writeApp({ 'notes.txt': 'ours' });
      const refused = await cli(['init', ...what], { cwd: folder });
      expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(/^iml init: .*no app/) });
      expect(readdirSync(folder)).toEqual(['notes.txt']);
    },
  );
});
