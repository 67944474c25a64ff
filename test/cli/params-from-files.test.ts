import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { safeFileName } from '../../src/tools/cli/output/save-binaries.js';
import { writeApp } from '../app/temp-app.js';
import { type CliResult, cli, type FakeIoOptions, jsonLines } from './fake-io.js';

const PIXEL = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 254, 10]);

let server: Server;
let origin: string;
let cwd: string;

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(PIXEL);
    const body = await bodyOf(request);
    response.setHeader('content-type', 'application/json');
    return response.end(
      JSON.stringify({ hex: body.toString('hex'), text: body.toString(), key: request.headers['x-key'] }),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

beforeEach(() => {
  const module = (communication: string, params: string): unknown => ({
    moduleType: 'action',
    codeFiles: { communication, mappableParams: params },
  });
  cwd = writeApp({
    'makecomapp.json': {
      generalCodeFiles: { base: 'base.json' },
      components: {
        module: {
          upload: module('upload.json', 'params.json'),
          echo: module('echo.json', 'params.json'),
          give: module('give.json', 'params.json'),
        },
      },
    },
    'base.json': { baseUrl: origin },
    'params.json': [
      { name: 'data', type: 'buffer' },
      { name: 'title', type: 'text' },
      { name: 'key', type: 'password' },
      { name: 'count', type: 'number' },
      { name: 'list', type: 'array' },
    ],
    'upload.json': {
      url: '/',
      method: 'POST',
      type: 'raw',
      body: '{{parameters.data}}',
      response: { output: '{{body}}' },
    },
    'echo.json': { response: { output: '{{parameters}}' } },
    'give.json': {
      url: '/',
      response: {
        type: 'binary',
        output: { fileName: '{{parameters.title}}', data: '{{body}}', more: [{ content: '{{body}}' }] },
      },
    },
  });
  writeFileSync(path.join(cwd, 'pixel.png'), PIXEL);
  writeFileSync(path.join(cwd, 'key.txt'), 's3cret-key\n');
  writeFileSync(path.join(cwd, 'list.json'), '\ufeff[1,2]\n');
  writeFileSync(path.join(cwd, 'all.json'), '{"title":"@key.txt","count":2}');
});

function run(module: string, args: readonly string[], options: FakeIoOptions = {}): Promise<CliResult> {
  return cli(['run', '.', module, '--allow-local', ...args], { cwd, ...options });
}

describe('-p name=@file', () => {
  it('passes the bytes of the file to a buffer field', async () => {
    const { code, out, err } = await run('upload', ['-p', 'data=@pixel.png']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(jsonLines(out)[0]).toMatchObject({ hex: PIXEL.toString('hex') });
  });

  it('reads standard input for @-', async () => {
    const { out } = await run('upload', ['-p', 'data=@-'], { stdin: PIXEL });
    expect(jsonLines(out)[0]).toMatchObject({ hex: PIXEL.toString('hex') });
  });

  it('refuses a field with two values, as the first would be lost', async () => {
    const { code, err } = await run('echo', ['-p', 'list=1', '-p', 'list=2']);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining(`"list" has two values. A list is JSON: -p '{"list": ["a", "b"]}'`),
    });
  });

  it('passes text to other fields, converted by type, without the final line break', async () => {
    const { out } = await run('echo', [
      ...['-p', 'key=@key.txt', '-p', 'list=@list.json', '-p', 'other=@key.txt'],
      ...['-p', 'title=@@ann', '-p', 'count=3'],
    ]);
    expect(jsonLines(out)[0]).toEqual({
      key: 's3cret-key',
      list: [1, 2],
      other: 's3cret-key',
      title: '@ann',
      count: 3,
    });
  });

  it('passes JSON of a file unchanged', async () => {
    const { out } = await run('echo', ['-p', '@all.json']);
    expect(jsonLines(out)[0]).toEqual({ title: '@key.txt', count: 2 });
  });

  it.each([
    ['data=@/nonexistent', '--param data: the file "/nonexistent" cannot be read (ENOENT). @@ writes an @.'],
    ['title=@pixel.png', '--param title: "pixel.png" is not UTF-8 text'],
    ['title=@', 'expected the name of a file after @'],
    ['@/nonexistent.json', '--param: the file "/nonexistent.json" cannot be read (ENOENT).'],
    ['@pixel.png', 'is not UTF-8 text'],
  ])('refuses %s and sends nothing', async (param, message) => {
    const { code, out, err } = await run('upload', ['-p', param]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });
});

describe('--save', () => {
  it('writes binary data to files, named by the sibling member', async () => {
    const folder = 'out/of/here';
    const { code, out, err } = await run('give', ['-p', 'title=../../report.png', '--save', folder]);
    expect(code).toBe(0);
    expect(jsonLines(out)[0]).toEqual({
      fileName: '../../report.png',
      data: `@${folder}/report.png`,
      more: [{ content: `@${folder}/content.bin` }],
    });
    expect(err).toContain(`saved ${folder}/report.png (8 bytes)`);
    expect(readFileSync(path.join(cwd, folder, 'report.png'))).toEqual(PIXEL);
    const made = ['out', folder, `${folder}/report.png`, `${folder}/content.bin`];
    const modes = made.map((at) => statSync(path.join(cwd, at)).mode & 0o777);
    if (process.getuid !== undefined) expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
    const again = await run('upload', ['-p', `data=@${folder}/report.png`]);
    expect(jsonLines(again.out)[0]).toMatchObject({ hex: PIXEL.toString('hex') });
  });

  it('never overwrites a file or follows a link', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'save-'));
    const target = path.join(folder, 'elsewhere');
    writeFileSync(target, 'mine');
    mkdirSync(path.join(folder, 'out'));
    symlinkSync(target, path.join(folder, 'out/report.png'));
    writeFileSync(path.join(folder, 'out/content.bin'), 'mine');
    for (let i = 0; i < 2; i++) {
      await run('give', ['-p', 'title=report.png', '--save', path.join(folder, 'out')]);
    }
    expect(readFileSync(target, 'utf8')).toBe('mine');
    expect(readFileSync(path.join(folder, 'out/content.bin'), 'utf8')).toBe('mine');
    expect(readdirSync(path.join(folder, 'out')).sort()).toEqual([
      ...['content-2.bin', 'content-3.bin', 'content.bin'],
      ...['report-2.png', 'report-3.png', 'report.png'],
    ]);
  });

  it('reports a folder that it cannot write', async () => {
    const { code, err } = await run('give', ['-p', 'title=x', '--save', 'pixel.png/x']);
    expect(code).toBe(2);
    expect(err).toContain('--save: cannot write "pixel.png/x": ENOTDIR.');
  });

  it.each([
    ['report.pdf', 'report.pdf'],
    ['/etc/passwd', 'passwd.bin'],
    ['..', 'data.bin'],
    ['..\\..\\evil.exe', 'evil.exe'],
    ['.bashrc', 'bashrc.bin'],
    ['con.txt', '_con.txt'],
    ['a\u0000b\u202egpj.exe', 'a_b_gpj.exe'],
    ['a:b*c?.txt', 'a_b_c_.txt'],
    ['', 'data.bin'],
    ['日本 report.pdf ', '日本 report.pdf'],
  ])('converts the name %j to %j', (wanted, name) => {
    expect(safeFileName(wanted)).toBe(name);
  });

  it('cuts long names between characters', () => {
    const name = safeFileName(`${'ä'.repeat(300)}.pdf`);
    expect(name.endsWith('ä.pdf')).toBe(true);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
  });
});

describe('iml connect -p name=@file', () => {
  it('stores the content of the file', async () => {
    const app = writeApp({
      'makecomapp.json': {
        generalCodeFiles: { base: 'base.json' },
        components: {
          connection: {
            account: { connectionType: 'basic', codeFiles: { communication: 'c.json', params: 'p.json' } },
          },
        },
      },
      'base.json': { baseUrl: origin },
      'p.json': [{ name: 'apiKey', type: 'password', required: true }],
      'c.json': {
        url: `${origin}/`,
        method: 'POST',
        headers: { 'x-key': '{{parameters.apiKey}}' },
        response: { valid: "{{body.key = 's3cret-key'}}" },
      },
      'key.txt': 's3cret-key\n',
    });
    const env = { XDG_CONFIG_HOME: mkdtempSync(path.join(tmpdir(), 'config-')) };
    const connect = (param: string): Promise<CliResult> =>
      cli(['connect', '.', '--allow-local', '-p', param], { cwd: app, env });
    expect(await connect('apiKey=@key.txt')).toMatchObject({ code: 0 });
    const missing = await connect('apiKey=@keys.txt');
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.err).toContain('the file "keys.txt" cannot be read');
  });
});
