import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpServer, type Loopback } from '../http/loopback.js';
import { builtCli } from './build-cli.js';
import { cli } from './fake-io.js';

const KEY = 'sk-test-4712';
const start = builtCli();
let api: Loopback;
let folder: string;
let root: string;
let client: Client;
let end: () => Promise<void>;

beforeAll(async () => {
  api = await httpServer(({ url = '' }, response) => {
    const items = url.startsWith('/contacts') ? [{ id: 1 }, { id: 2 }] : [];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(items));
  });
  folder = mkdtempSync(path.join(tmpdir(), 'iml-author-'));
  root = path.join(folder, 'acme');
  const iml = (line: string) => cli(line.split(' '), { cwd: folder });
  await iml('init app acme --base-url https://api.acme.example --auth api-key');
  await iml('add module listContacts acme --path /contacts');
  await iml('add endpoint getContact acme');
  writeFileSync(
    path.join(root, 'modules/list-contacts/list-contacts.communication.iml.json'),
    JSON.stringify({ url: '/contacts', response: { iterate: '{{body}}', output: '{{item}}' } }),
  );
  const network = ['--map', `https://api.acme.example=${api.origin}`, '--allow-local'];
  const connection = JSON.stringify({ apiKey: KEY });
  const { child, result } = start(['mcp', root, '--author', ...network, '--connection', connection], 'open');
  if (child.stdout === null || child.stdin === null) throw new Error('The process has no pipes.');
  const output = new PassThrough();
  child.stdout.on('data', (text: string) => output.write(text));
  client = new Client({ name: 'test', version: '0' });
  await client.connect(new StdioServerTransport(output, child.stdin as Writable));
  end = async () => {
    child.stdin?.end();
    expect((await result).code).toBe(0);
  };
});
afterAll(async () => {
  await end?.();
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Told {
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: what a tool tells is looked at, member by member.
  readonly value: any;
}

async function call(name: string, input: Record<string, unknown> = {}): Promise<Told> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const text = (content as readonly { readonly text: string }[])[0]?.text ?? '';
  expect(text).not.toContain(KEY);
  return { isError: isError === true, value: /^[[{]/.test(text) ? JSON.parse(text) : text };
}

describe('iml mcp --author', () => {
  it('offers tools for the app beside its endpoints', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['list_components', 'check', 'test', 'run', 'eval', 'explain', 'getContact'],
    ]);
    for (const { name, inputSchema, annotations } of tools.slice(0, 6)) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(annotations?.readOnlyHint).toBe(name !== 'run');
    }
    expect(client.getInstructions()).toContain('list_components');
  });

  it('runs a module with the connection and the network options of the server', async () => {
    const { value } = await call('run', { name: 'listContacts', limit: 1 });
    expect(value).toMatchObject({ ok: true, result: { bundles: [{ id: 1 }] } });
  });

  it('lists components and describes one', async () => {
    const all = (await call('list_components')).value;
    expect(JSON.stringify(all)).toContain('listContacts');
    expect(await call('list_components', { name: 'listContacts' })).toMatchObject({ isError: false });
  });

  it('checks and tests the files as they are now', async () => {
    expect((await call('check')).value).toMatchObject({ ok: true, result: { findings: expect.any(Array) } });
    const file = path.join(root, 'modules/list-contacts/list-contacts.communication.iml.json');
    writeFileSync(
      file,
      JSON.stringify({ url: '/contacts', response: { iterate: '{{body', output: '{{item}}' } }),
    );
    const wrong = (await call('check')).value;
    expect(wrong.ok).toBe(false);
    const { findings } = wrong.result;
    expect(findings.map(({ rule }: { rule: string }) => rule)).toContain('syntax');
    writeFileSync(
      file,
      JSON.stringify({ url: '/contacts', response: { iterate: '{{body}}', output: '{{item}}' } }),
    );
    expect((await call('test')).value).toMatchObject({ result: expect.any(Object) });
  });

  it('evaluates templates, and explains rules and functions', async () => {
    const context = { name: 'ann' };
    expect((await call('eval', { template: '{{upper(name)}}', context })).value).toEqual({
      ok: true,
      result: 'ANN',
    });
    expect((await call('eval', { template: '-' })).value).toMatchObject({ ok: true });
    expect((await call('explain', { name: 'formatDate' })).value).toContain('formatDate(');
    expect(JSON.stringify((await call('explain', { name: 'unknown-name' })).value)).toContain('unknown-name');
  });

  it.each([
    ['run', {}, '"name" is missing.'],
    ['run', { name: 'listContacts', connection: '@/etc/hostname' }, '"connection"'],
    ['run', { name: 'listContacts', connection: '{"apiKey":"x"}' }, '"connection"'],
    ['run', { name: '--har=x' }, '"name"'],
    ['run', { name: 'listContacts', limit: 0 }, '"limit"'],
    ['run', { name: 'listContacts', map: 'a=b' }, '"map" is not a member of the input.'],
    ['run', { name: 'listContact' }, 'Did you mean'],
    ['check', { profile: 'strict' }, '"profile"'],
    ['eval', { template: 1 }, '"template"'],
    ['eval', { template: 'x', timezone: '--now=1' }, '"timezone"'],
    ['explain', { name: 'formatDat' }, 'Did you mean "formatDate"?'],
    ['getContact', {}, '"id" is missing.'],
  ])('refuses %s %j', async (name, input, message) => {
    expect(await call(name, input)).toMatchObject({
      isError: true,
      value: { code: 'USAGE', message: expect.stringContaining(message) },
    });
  });
});
