import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpServer, type Loopback } from '../http/loopback.js';
import { builtCli } from './build-cli.js';
import { type CliResult, cli } from './fake-io.js';

const KEY = 'sk-test-4711';
let api: Loopback;
let folder: string;
let requests: string[];

beforeAll(async () => {
  requests = [];
  api = await httpServer(({ url = '', headers }, response) => {
    requests.push(url);
    const isKnown = headers.authorization === `Bearer ${KEY}`;
    const isEcho = url.endsWith('/contacts/echo');
    const isFound = url.endsWith('/contacts/7') || isEcho;
    response.writeHead(!isKnown ? 401 : isFound ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        isKnown && isFound
          ? [{ id: 7, name: 'Ann', ...(isEcho && { quoted: `Bearer ${KEY}` }) }]
          : { message: `no ${KEY}` },
      ),
    );
  });
  folder = mkdtempSync(path.join(tmpdir(), 'iml-endpoints-'));
  await iml('init app acme --base-url https://api.acme.example --auth api-key');
  await iml('add endpoint getContact acme');
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const iml = (line: string): Promise<CliResult> => cli(line.split(' '), { cwd: folder });

/** A command with the app and its connection, sent to the local server. */
const onServer = (line: string, ...more: readonly string[]): Promise<CliResult> =>
  cli([...line.split(' '), ...network(), ...more], { cwd: folder });

const network = (): string[] => [
  ...['--map', `https://api.acme.example=${api.origin}`, '--allow-local'],
  ...['--connection', JSON.stringify({ apiKey: KEY })],
];

describe('iml run endpoint:NAME', () => {
  it('prints the unwrapped result as JSON', async () => {
    const { code, out } = await onServer('run acme endpoint:getContact -p id=7');
    expect({ code, result: JSON.parse(out) }).toEqual({ code: 0, result: { id: 7, name: 'Ann' } });
    expect(requests.at(-1)).toBe('/contacts/7');
  });

  it('finds the app of the current folder', async () => {
    const options = { cwd: path.join(folder, 'acme') };
    expect(await cli(['run', 'endpoint:getContact', '-p', 'id=7', ...network()], options)).toMatchObject({
      code: 0,
    });
  });

  it.each([
    ['--ndjson', '{"id":7,"name":"Ann"}\n'],
    ['--query=result.name', '"Ann"\n'],
  ])('prints the result with %s', async (option, out) => {
    expect(await onServer('run acme endpoint:getContact -p id=7', option)).toMatchObject({ code: 0, out });
  });

  it('prints the whole report with --json, also of a failed run, without the key', async () => {
    const { code, out, err } = await onServer('run acme endpoint:getContact -p id=8 --json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { statusCode: 404 }, stats: { requests: 1 } });
    expect(out + err).not.toContain(KEY);
  });

  it('checks the form before it sends anything; --no-check sends the values as an AI caller does', async () => {
    const before = requests.length;
    const refused = await onServer('run acme endpoint:getContact');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('--no-check') });
    expect(requests).toHaveLength(before);
    await onServer('run acme endpoint:getContact --no-check');
    expect(requests).toHaveLength(before + 1);
  });

  it('says which connection is missing', async () => {
    const line = 'run acme endpoint:getContact -p id=7 --allow-local --map';
    const { code, err } = await cli([...line.split(' '), `https://api.acme.example=${api.origin}`], {
      cwd: folder,
    });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('uses the connection "account"') });
  });

  it.each([
    ['run acme getContact', '"getContact" is an endpoint. Run it as endpoint:getContact.'],
    ['run acme endpoint:getContct', 'Did you mean "getContact"?'],
    ['run acme endpoint:getContact --limit 5', '--limit is for modules'],
    ['run acme endpoint:getContact --start all', '--start is for modules'],
  ])('refuses "%s"', async (line, message) => {
    expect(await iml(line)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  it('writes a trace that iml dev can open', async () => {
    await onServer('run acme endpoint:getContact -p id=7 --trace-file run.jsonl');
    const [head] = readFileSync(path.join(folder, 'run.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(head ?? '')).toMatchObject({ kind: 'endpoint', name: 'getContact' });
  });
});

describe('tests of endpoints', () => {
  it('are written by iml add, pass, and count as coverage', async () => {
    const test = path.join(folder, 'acme/tests/getContact/getContact.test.json');
    expect(readFileSync(test, 'utf8')).toContain('"component": "endpoint:getContact"');
    const { code, out } = await iml('test acme --coverage');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/endpoints +1 of 1/) });
  });

  it('are written by iml init tests', async () => {
    const test = path.join(folder, 'acme/tests/getContact/getContact.test.json');
    rmSync(test);
    expect(await iml('init tests acme')).toMatchObject({
      code: 0,
      out: expect.stringContaining(path.basename(test)),
    });
    expect((await iml('test acme')).code).toBe(0);
  });

  it('are recorded by iml run, without the key', async () => {
    const file = path.join(folder, 'acme/tests/getContact/recorded.test.json');
    const recorded = await onServer('run acme endpoint:getContact -p id=7', '--record', file);
    expect(recorded).toMatchObject({ code: 0 });
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      component: 'endpoint:getContact',
      expect: { result: { id: 7 } },
    });
    expect(text).not.toContain(KEY);
    expect(await iml('test acme')).toMatchObject({ code: 0 });
  });

  it('fail with the difference if the result changes', async () => {
    const file = path.join(folder, 'acme/tests/getContact/changed.test.json');
    const exchanges = [{ response: { body: { id: 7 } } }];
    const written = {
      component: 'endpoint:getContact',
      input: { parameters: { id: 7 } },
      exchanges,
      expect: { result: { id: 8 } },
    };
    writeFileSync(file, JSON.stringify(written));
    const { code, out } = await iml('test acme --filter changed');
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('8') });
    rmSync(file);
  });
});

/** An endpoint with fields that depend on the value of another one. */
async function addNested(): Promise<void> {
  await iml('add endpoint findContact acme');
  const nested = (name: string): unknown => [{ name, type: 'text', required: true }];
  const options = ['email', 'phone'].map((value) => ({ label: value, value, nested: nested(value) }));
  const input = [{ name: 'by', type: 'select', required: true, options }];
  writeFileSync(
    path.join(folder, 'acme/endpoints/find-contact/find-contact.input.iml.json'),
    JSON.stringify(input),
  );
}

describe('iml mcp', () => {
  const start = builtCli();

  it('offers the endpoints as tools of a client, with redacted errors of the app', async () => {
    await addNested();
    const client = new Client({ name: 'test', version: '0' });
    // The options of iml.config.json apply.
    const options = { map: { 'https://api.acme.example': api.origin }, 'allow-local': true };
    writeFileSync(path.join(folder, 'acme/iml.config.json'), JSON.stringify({ options }));
    const connection = JSON.stringify({ apiKey: KEY });
    const { child, result } = start(
      ['mcp', path.join(folder, 'acme'), '--connection', connection, '--trust'],
      'open',
    );
    if (child.stdout === null || child.stdin === null) throw new Error('The process has no pipes.');
    // The transport of a server works for a client too: it reads one stream and writes another.
    const output = new PassThrough();
    child.stdout.on('data', (text: string) => output.write(text));
    const transport = new StdioServerTransport(output, child.stdin as Writable);
    await client.connect(transport);
    try {
      const { tools } = await client.listTools();
      expect(tools.slice(0, 1)).toMatchObject([
        {
          name: 'getContact',
          title: 'Get contact',
          description: expect.stringMatching(/^Returns the details of a contact\.\n\nUse this endpoint if/),
          inputSchema: {
            type: 'object',
            required: ['id'],
            properties: { id: { description: expect.any(String) } },
          },
          annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
        },
      ]);
      // A conditional field is an optional property.
      expect(tools.find(({ name }) => name === 'findContact')?.inputSchema).toMatchObject({
        properties: {
          by: expect.any(Object),
          email: { type: 'string' },
          phone: { type: 'string' },
        },
      });
      for (const { inputSchema } of tools) {
        expect(Object.keys(inputSchema)).not.toContain('allOf');
        expect(inputSchema.required).not.toContain('email');
      }
      const call = async (args: Record<string, unknown>, name = 'getContact'): Promise<unknown> => {
        const { content, isError = false } = await client.callTool({ name, arguments: args });
        const [part] = content as readonly { readonly text: string }[];
        expect(part?.text).not.toContain(KEY);
        return { isError, value: JSON.parse(part?.text ?? '') };
      };
      expect(await call({ id: '7' })).toEqual({ isError: false, value: { id: 7, name: 'Ann' } });
      // The API quotes the request with its key.
      expect(await call({ id: 'echo' })).toMatchObject({
        isError: false,
        value: { quoted: 'Bearer [SANITIZED]' },
      });
      expect(await call({ id: '8' })).toMatchObject({
        isError: true,
        value: { type: 'RuntimeError', status: 404, message: expect.any(String) },
      });
      expect(await call({}, 'getContct')).toMatchObject({
        isError: true,
        value: { message: expect.stringContaining('getContact') },
      });
      // What the schema forbids is not sent: a missing value, an empty one, another type, a missing nested field.
      const before = requests.length;
      for (const [args, name, message] of [
        [{}, 'getContact', '"id" is missing.'],
        [{ id: '' }, 'getContact', '"id"'],
        [{ id: { a: 1 } }, 'getContact', '"id"'],
        [{ by: 'email' }, 'findContact', '"email" is missing.'],
        [{ by: 'fax' }, 'findContact', '"by"'],
      ] as const) {
        expect(await call(args, name), JSON.stringify(args)).toMatchObject({
          isError: true,
          value: { code: 'USAGE', message: expect.stringContaining(message) },
        });
      }
      expect(requests).toHaveLength(before);
      child.stdin.end();
      expect(await result).toMatchObject({
        code: 0,
        err: expect.stringMatching(/^iml\.config\.json: .*\n$/),
      });
    } finally {
      child.kill();
    }
  });

  it.each([
    ['mcp acme --endpoint nothing --trust', 'has no endpoint "nothing"'],
    ['mcp empty', 'has no endpoints'],
  ])('refuses "%s"', async (line, message) => {
    if (line.includes('empty')) await iml('init app empty --base-url https://a.example --auth none');
    expect(await iml(line)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});
