import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMakeApi } from '../../src/tools/life/remote/make-api.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { type CliResult, cli } from './fake-io.js';

let server: Server | undefined;
let folder: string;
beforeEach(() => {
  folder = makeTemporaryFolder();
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true });
});

async function listen(listener: RequestListener): Promise<string> {
  const made = createServer(listener);
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}/api`;
}

/** The bodies of an API by the end of their address; other addresses have the text of an empty section. */
function serve(bodies: Readonly<Record<string, unknown>>): RequestListener {
  return ({ url = '' }, response) => {
    const end = Object.keys(bodies).find((one) => url.replace(/\?.*/, '').endsWith(one));
    const isText = end === undefined || typeof bodies[end] === 'string';
    response.setHeader('content-type', isText ? 'text/plain' : 'application/json');
    response.end(isText ? String(bodies[end ?? ''] ?? '[]') : JSON.stringify(bodies[end]));
  };
}

const SUMS = { app: [], modules: [], rpcs: [], functions: [], accounts: [], hooks: [], endpoints: [] };
const APP = {
  '/acme/1': { app: { name: 'acme' } },
  '/checksum': SUMS,
  ...{ '/connections': { appConnections: [] }, '/webhooks': { appWebhooks: [] } },
  ...{ '/modules': { appModules: [] }, '/rpcs': { appRpcs: [] } },
  ...{ '/functions': { appFunctions: [] }, '/endpoints': { appEndpoints: [] } },
};

const pull = (address: string): Promise<CliResult> =>
  cli(`pull app --api-url ${address} --app-id acme --yes`.split(' '), {
    cwd: folder,
    env: { HOME: path.join(folder, 'home'), MAKE_API_KEY: '00000000-0000-4000-8000-000000000000' },
  });

/** All files, except for the record of confirmed folders. */
const filesOf = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => path.extname(file) !== '' && !file.startsWith('home'))
    .sort();

describe('iml pull from a broken or hostile server', () => {
  const MEGABYTE = Buffer.alloc(1024 * 1024, ' ');
  const REFUSALS: readonly (readonly [title: string, answer: RequestListener, message: string])[] = [
    [
      'a response without end',
      (_, response) => {
        const write = (): void => {
          while (response.write(MEGABYTE));
        };
        response.on('drain', write);
        write();
      },
      'a response has more than 8388608 bytes',
    ],
    [
      'a small compressed response that is large',
      (_, response) => {
        response.setHeader('content-encoding', 'gzip');
        response.end(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
      },
      'a response has more than 8388608 bytes',
    ],
    [
      'HTML',
      (_, response) => {
        response.setHeader('content-type', 'application/json');
        response.end('<!doctype html>');
      },
      'a response is not valid JSON',
    ],
    [
      'a redirect',
      (_, response) => {
        response.writeHead(302, { location: 'http://169.254.169.254/' });
        response.end();
      },
      'redirects a request',
    ],
    ['a closed connection', (request) => request.socket.destroy(), 'cannot be reached'],
    [
      'an error with control characters',
      (_, response) => {
        response.statusCode = 400;
        response.end('{"message":"\\u001b]0;title\\u0007"}');
      },
      String.raw`\u001b]0;title\u0007`,
    ],
    [
      'a component with the name of a folder',
      serve({ ...APP, '/modules': { appModules: [{ name: '../../../planted', typeId: 4 }] } }),
      'the name of a component is not valid (module)',
    ],
    [
      'a component without a name',
      serve({ ...APP, '/rpcs': { appRpcs: [[]] } }),
      'the name of a component is not valid (rpc)',
    ],
    [
      'too many components',
      serve({ ...APP, '/rpcs': { appRpcs: Array.from({ length: 2001 }, (_, n) => ({ name: `rpc${n}` })) } }),
      'more than 2000 rpcs',
    ],
  ];

  it.each(REFUSALS)('refuses %s and writes nothing', async (_, answer, message) => {
    const { code, err } = await pull(await listen(answer));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
    expect(filesOf(folder)).toEqual([]);
  });

  it('writes only inside the folder, whatever names, members and texts the server sends', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const module = {
      ...{ name: 'constructor', typeId: 'x', label: 'DEEP' },
      ...{ description: '\u001b[2J\u202e', crud: ['read'], connection: '../../account', webhook: 7 },
    };
    const address = await listen(
      serve({
        ...APP,
        '/modules': JSON.stringify({
          appModules: [module, { name: 'CON' }, { name: 'con', label: 'x' }],
        }).replace('"DEEP"', deep),
        '/endpoints': { appEndpoints: [{ name: 'one', annotations: { x: [] }, attachedAccounts: [{}] }] },
        '/readme': '\u0000\u202e text',
        '/api': '{"url": "x"} \ud800',
      }),
    );
    const { code, err } = await pull(address);
    expect(err).not.toMatch(/\n {4}at /);
    expect({ code, err }).toMatchObject({ code: 0 });
    const manifest = readFileSync(path.join(folder, 'app/makecomapp.json'), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({
      components: {
        module: {
          constructor: { label: '', moduleType: 'action', actionCrud: null, connection: null },
          CON: {},
          con: { label: 'x' },
        },
        endpoint: { one: { annotations: {}, attachedAccounts: [] } },
      },
    });
    for (const character of '\u001b\u202e') expect(manifest).not.toContain(character);
    for (const file of filesOf(folder)) expect(file).toMatch(/^app[/\\]/);
    expect(existsSync(path.join(folder, 'app/modules/constructor'))).toBe(true);
    expect(new Set(filesOf(folder).map((file) => file.toLowerCase())).size).toBe(filesOf(folder).length);
  });

  it('ends a request that gets no response, or one without end, after its time limit', async () => {
    for (const answer of [
      () => {},
      (_, response) => {
        response.write('{"a": ');
      },
    ] satisfies RequestListener[]) {
      const baseUrl = await listen(answer);
      const api = await openMakeApi({ baseUrl, appId: 'acme', appVersion: 1 }, 'token', { timeoutMs: 50 });
      await expect(api.readApp()).rejects.toMatchObject({
        code: 'NETWORK_TIMEOUT',
        message: expect.stringContaining('did not respond in time'),
      });
      server?.closeAllConnections();
      server?.close();
    }
  });
});
