import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Bookshop, startBookshop } from '../../spec-fixtures/bookshop/service.mjs';
import { httpServer } from '../http/loopback.js';
import { builtCli } from './build-cli.js';
import { jsonLines } from './fake-io.js';

const APP = 'spec-fixtures/bookshop';
const start = builtCli();
let shop: Bookshop;
beforeAll(async () => {
  shop = await startBookshop();
});
afterAll(() => shop.close());

const shopArgs = (): string[] => [
  ...['run', APP, 'listBooks', '--base-url', shop.baseUrl, '--allow-local'],
  ...['--connection', JSON.stringify({ apiKey: shop.apiKey })],
];

describe('the process iml', () => {
  it('ends with the exit code without open connections', async () => {
    const { code, out, err } = await start(shopArgs()).result;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(jsonLines(out)).toHaveLength(42);
    expect(await start(['eval', '{{(}}']).result).toMatchObject({ code: 1, out: '' });
    expect(await start(['eval', '--nothing']).result).toMatchObject({ code: 2, out: '' });
  });

  it('writes a long value to a pipe completely', async () => {
    const { code, out } = await start(['eval', `${'x'.repeat(100_000)}{{1 + 1}}`]).result;
    expect({ code, length: out.length }).toEqual({ code: 0, length: 100_002 });
  });

  it('completes a date from --now, as the library does', async () => {
    const template = '{{parseDate("03-05 10"; "MM-DD HH")}}';
    const { out } = await start(['eval', template, '--now', '2020-02-02T00:00:00Z', '--json']).result;
    expect(out).toBe('"2020-03-05T10:00:00.000Z"\n');
  });

  it('ends without an error if its reader closes the pipe', async () => {
    const { child, result } = start(shopArgs());
    child.stdout?.once('data', () => child.stdout?.destroy());
    const { code, signal, err } = await result;
    expect({ code, signal, err }).toEqual({ code: 0, signal: null, err: '' });
  });

  it('stops on Ctrl-C', async () => {
    let asked: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const hung = await httpServer(() => asked());
    onTestFinished(() => hung.close());
    const { child, result } = start(['run', APP, 'listBooks', '--base-url', hung.origin, '--allow-local']);
    await reached;
    child.kill('SIGINT');
    expect(await result).toMatchObject({ code: 130, out: '', err: 'Interrupted.\n' });
  });
});
