import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type RestCommandIo, runRest } from '../../src/rest/command.js';
import { openTestSchema } from './open-stores.js';

const cwd = await mkdtemp(join(tmpdir(), 'iml-rest-command-'));
afterAll(() => rm(cwd, { recursive: true, force: true }));
const schema = await openTestSchema();

interface Run {
  readonly code: Promise<number>;
  readonly output: () => string;
  readonly errors: () => string;
  readonly stop: () => void;
}

function run(args: readonly string[], env: RestCommandIo['env'] = {}): Run {
  const controller = new AbortController();
  const written = { output: '', errors: '' };
  const writer =
    (stream: keyof typeof written) =>
    async (text: string): Promise<void> => {
      written[stream] += text;
    };
  const io: RestCommandIo = {
    stdout: { write: writer('output') },
    stderr: { write: writer('errors') },
    env,
    cwd,
    interruptible: (work) => work(controller.signal),
  };
  return {
    code: runRest(args, io),
    output: () => written.output,
    errors: () => written.errors,
    stop: () => controller.abort(),
  };
}

async function until(run: Run, text: string): Promise<string> {
  await expect.poll(run.output).toContain(text);
  return run.output();
}

const TOKEN = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;

describe('iml rest', () => {
  test('serves, prints the first token once, and makes more', async () => {
    const first = run(['--port', '0']);
    const text = await until(first, 'shown this once');
    const token = TOKEN.exec(text)?.[0] ?? '';
    const base = /http:\S+/.exec(text)?.[0] ?? '';
    const me = await fetch(`${base}/users/me`, { headers: { authorization: `Token ${token}` } });
    expect(await me.json()).toMatchObject({ authUser: { name: 'Administrator' } });

    const second = run(['token', '--scope', 'organizations:read', '--label', 'ci']);
    expect(await second.code).toBe(0);
    const headers = { authorization: `Token ${second.output().trim()}` };
    const current = await fetch(`${base}/users/me/current-authorization`, { headers });
    expect(await current.json()).toEqual({
      authorization: { authUsed: 'token', scope: ['organizations:read'] },
    });
    first.stop();
    expect(await first.code).toBe(0);

    const again = run(['--port', '0']);
    await until(again, 'API tokens: iml rest token');
    expect(again.output()).not.toMatch(TOKEN);
    again.stop();
    expect(await again.code).toBe(0);
    expect((await stat(join(cwd, '.iml/rest/encryption-key'))).mode & 0o077).toBe(0);
    const names = await readdir(join(cwd, '.iml/rest'));
    expect(names.filter((name) => name.startsWith('encryption-key'))).toHaveLength(1);
  });

  test.skipIf(typeof schema === 'string')('serves over PostgreSQL with a key of its own', async () => {
    const url = typeof schema === 'string' ? '' : schema.url;
    const without = run(['token', '--database', url]);
    expect(await without.code).toBe(1);
    expect(without.errors()).toContain('IML_REST_KEY');
    const short = run(['token', '--database', url], { IML_REST_KEY: 'AAAA' });
    expect(await short.code).toBe(1);
    expect(short.errors()).toContain('32 bytes');
    const made = run(['token', '--database', url], { IML_REST_KEY: Buffer.alloc(32).toString('base64') });
    expect(await made.code).toBe(0);
    expect(made.output()).toMatch(TOKEN);
  });

  test('says how it is called', async () => {
    const help = run(['--help']);
    expect(await help.code).toBe(0);
    expect(help.output()).toContain('iml rest token');
    for (const args of [
      ['--nonsense'],
      ['tokens'],
      ['--port', 'x'],
      ['--port', '70000'],
      ['token', '--scope', 'all'],
    ]) {
      const wrong = run(args);
      expect([args, await wrong.code]).toEqual([args, 2]);
      expect(wrong.errors()).toContain('Usage:');
    }
    const stranger = run(['token', '--user', 'nobody@example.com']);
    expect(await stranger.code).toBe(2);
  });
});
