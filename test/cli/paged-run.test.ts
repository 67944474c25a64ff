import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CliResult, cli, type FakeIoOptions, jsonLines } from './fake-io.js';
import { type Disturbance, fontServer } from './paging-server.js';

const APP = path.resolve(import.meta.dirname, '../../spec-fixtures/corpus/fonts');

async function listFonts(
  total: number,
  {
    disturb,
    args = [],
    env = {},
  }: Pick<FakeIoOptions, 'env'> & {
    readonly disturb?: Disturbance;
    readonly args?: readonly string[];
  } = {},
): Promise<CliResult> {
  const server = await fontServer(total, disturb);
  onTestFinished(() => server.close());
  const at = ['--base-url', `${server.origin}/api/v1`, '--allow-local'];
  const connection = ['--connection', '{"apiKey":"sm_key_123456"}'];
  return cli(['run', APP, 'listFonts', ...at, ...connection, ...args], { env });
}

const uuids = (out: string): unknown[] => jsonLines(out).map((bundle) => (bundle as { uuid: string }).uuid);

describe('a search over pages of 100', () => {
  it('prints the bundles of all pages', async () => {
    const { code, out, err } = await listFonts(250);
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('Error') });
    expect(uuids(out)).toEqual(Array.from({ length: 250 }, (_, index) => `f${index + 1}`));
  });

  it('cuts at the limit parameter of the app', async () => {
    const { out } = await listFonts(250, { args: ['-p', '{"limit":150,"filters":{}}'] });
    expect(uuids(out)).toHaveLength(150);
  });

  it('prints the first pages and ConnectionError when the server dies in the middle', async () => {
    const { code, out, err } = await listFonts(250, {
      disturb: (page, request) => {
        if (page === 3) request.socket.destroy();
        return page === 3;
      },
    });
    expect(code).toBe(1);
    expect(uuids(out)).toHaveLength(200);
    expect(err).toContain('ConnectionError: ');
    expect(err).toMatch(/request +1, page 3/);
    expect(err).toContain('The run returned 200 bundle(s) before the error. A scenario discards them.');
  });

  it('ends with RateLimitError on 429, with the requested delay', async () => {
    const { code, out, err } = await listFonts(250, {
      disturb: (page, _request, response) => {
        if (page !== 2) return false;
        response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' });
        response.end('{"detail":"slow down"}');
        return true;
      },
    });
    expect(code).toBe(1);
    expect(uuids(out)).toHaveLength(100);
    expect(err).toContain('RateLimitError: [429] slow down');
    expect(err).toMatch(/status +429\n/);
    expect(err).toMatch(/retry-after +7 s/);
    expect(err).toMatch(/base\.iml\.json:\d+:\d+/);
  });

  it('ends with ModuleTimeoutError when the server hangs', async () => {
    const { code, err } = await listFonts(250, {
      disturb: (page) => page === 2,
      env: { IML_TIMEOUT_MS: '300' },
    });
    expect(code).toBe(1);
    expect(err).toContain('ModuleTimeoutError: The module took longer than 0.3 seconds.');
  });

  it('never shows the key of the connection', async () => {
    const { out, err } = await listFonts(1, { args: ['--trace-bodies'] });
    expect(out + err).not.toContain('sm_key_123456');
    expect(err).toContain('GET http://127.0.0.1');
  });
});
