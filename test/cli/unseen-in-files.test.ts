import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHar } from '../../src/tools/testing/recording/read-har.js';
import { readTraceFile } from '../../src/tools/testing/suite/read-trace-file.js';
import { writeApp } from '../app/temp-app.js';
import { httpServer, type Loopback } from '../http/loopback.js';
import { cli } from './fake-io.js';

const UNSEEN = '\u009b\u007f\u202e\u2028\u200b\ufeff\u{e0041}\u{e01f5}\u3164\u2800क\u200c\u200d';
/** All of them but the letter. */
const IS_UNSEEN = /[\u007f-\u009f\u202e\u2028\u200b-\u200d\ufeff\u{e0041}\u{e01f5}\u3164\u2800]/u;

/** Answers with them in a name and in a value; `/long` with more than stays in the file of a case. */
let service: Loopback;
beforeAll(async () => {
  service = await httpServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
    const rest = request.url === '/long' ? 'x'.repeat(9000) : '';
    const text = JSON.stringify({ note: UNSEEN, [`name${UNSEEN}`]: UNSEEN, rest });
    // A body with control characters is taken for bytes.
    response.end(text.replaceAll('\u009b', '\\u009b').replaceAll('\u007f', '\\u007f'));
  });
});
afterAll(() => service.close());

function writeUnseenApp(): string {
  return writeApp({
    'makecomapp.json': {
      generalCodeFiles: { base: 'base.json' },
      components: {
        connection: {},
        module: Object.fromEntries(
          ['go', 'long'].map((name) => [
            name,
            { moduleType: 'action', codeFiles: { communication: `${name}.json` } },
          ]),
        ),
      },
    },
    'base.json': { baseUrl: 'https://api.unseen.example' },
    'go.json': { url: '/go', response: { output: { note: '{{body.note}}' } } },
    'long.json': { url: '/long', response: { output: { note: '{{body.note}}' } } },
  });
}

/** @returns the file, and the app it is of */
async function runInto(option: string, module = 'go'): Promise<{ file: string; app: string }> {
  const app = writeUnseenApp();
  const file = path.join(app, 'tests', module, 'one.test.json');
  const map = ['--map', `https://api.unseen.example=${service.origin}`];
  const { code, err } = await cli(['run', app, module, ...map, '--trace-bodies', option, file]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return { file, app };
}

describe('a file with invisible characters', () => {
  it('escapes them in a trace and restores them', async () => {
    const app = writeUnseenApp();
    const file = path.join(app, 'run.jsonl');
    const map = ['--map', `https://api.unseen.example=${service.origin}`];
    await cli(['run', app, 'go', ...map, '--trace-file', file]);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(IS_UNSEEN);
    expect(JSON.stringify(readTraceFile(text))).toContain(JSON.stringify(UNSEEN).slice(1, -1));
  });

  it('escapes them in a HAR and restores the bodies', async () => {
    const { file } = await runInto('--har');
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(IS_UNSEEN);
    const [call] = readHar(text, file).calls;
    const body: unknown = JSON.parse(Buffer.from(call?.response?.body ?? []).toString('utf8'));
    expect(body).toMatchObject({ note: UNSEEN, [`name${UNSEEN}`]: UNSEEN });
  });

  it('escapes them in a case, which passes', async () => {
    const { file, app } = await runInto('--record');
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(IS_UNSEEN);
    expect(JSON.parse(text)).toMatchObject({ exchanges: [{ response: { body: { note: UNSEEN } } }] });
    expect(await cli(['test', app])).toMatchObject({ code: 0 });
  });

  it('keeps them in the body file of a case', async () => {
    const { file, app } = await runInto('--record', 'long');
    const body = readFileSync(path.join(path.dirname(file), 'one.bodies', '01-response.json'), 'utf8');
    expect(body).toContain(UNSEEN);
    expect(readFileSync(file, 'utf8')).not.toMatch(IS_UNSEEN);
    expect(await cli(['test', app])).toMatchObject({ code: 0 });
  });

  it('escapes them in an updated case', async () => {
    const { file, app } = await runInto('--record');
    const module = path.join(app, 'go.json');
    const written = readFileSync(module, 'utf8');
    writeFileSync(module, written.replace('{{body.note}}', '{{body.note}}!'));
    await cli(['test', app, '--update', '--yes']);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(IS_UNSEEN);
    expect(JSON.parse(text)).toMatchObject({ expect: { bundles: [{ note: `${UNSEEN}!` }] } });
  });
});
