import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pLimit from 'p-limit';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { builtCli, type StartedProcess } from '../cli/build-cli.js';
import { listen, readBody } from '../http/loopback.js';
import { eventually } from './open-parts.js';
import { send } from './send.js';
import { createDatabase, hasPostgres, POSTGRES_MISSING } from './test-database.js';

const startCli = builtCli();

const HOOKS = 8;
const EVENTS_PER_HOOK = 40;
/** The heartbeat of the queue plus ten seconds. */
const MAX_STALL_MS = 20_000;

const MANIFEST = {
  fileVersion: 1,
  generalCodeFiles: {},
  origins: [],
  components: {
    webhook: { contacts: { webhookType: 'web', codeFiles: { communication: 'contacts.json' } } },
    module: { take: { moduleType: 'action', codeFiles: { communication: 'take.json' } } },
  },
};

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `two iml serve processes on one database lose no acknowledged event and keep the order when one is killed${POSTGRES_MISSING}`,
  { timeout: 180_000 },
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'iml-serve-fleet-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const database = await createDatabase();
    onTestFinished(database.drop);
    const effects: { readonly hook: string; readonly n: number; readonly atMs: number }[] = [];
    const api = await listen(
      createServer(async (request, response) => {
        const { hook, n } = JSON.parse((await readBody(request)).toString()) as { hook: string; n: number };
        effects.push({ hook, n, atMs: Date.now() });
        response.setHeader('content-type', 'application/json').end('{}');
      }),
    );
    onTestFinished(api.close);
    await mkdir(path.join(folder, 'crm'));
    const write = (name: string, content: unknown): Promise<void> =>
      writeFile(path.join(folder, name), JSON.stringify(content));
    await write('crm/makecomapp.json', MANIFEST);
    await write('crm/contacts.json', { output: '{{body}}' });
    const body = { hook: '{{parameters.hook}}', n: '{{parameters.n}}' };
    await write('crm/take.json', { url: `${api.origin}/take`, method: 'POST', body });
    const scenarios = Array.from({ length: HOOKS }, (_, index) => ({
      name: `hook-${index}`,
      webhook: { app: 'crm', webhook: 'contacts' },
      ordered: true,
      modules: [{ id: 2, app: 'crm', module: 'take', parameters: { hook: `hook-${index}`, n: '{{1.n}}' } }],
    }));
    await write('scenarios.json', { scenarios });

    const serve = async (): Promise<StartedProcess & { readonly urls: ReadonlyMap<string, string> }> => {
      const options = ['--scenarios', path.join(folder, 'scenarios.json'), '--database', database.at];
      const process = startCli([
        ...['serve', path.join(folder, 'crm'), '--port', '0', '--allow-local', '--stdout', 'none', '--quiet'],
        ...options,
      ]);
      onTestFinished(() => void process.child.kill('SIGKILL'));
      const urls = new Map<string, string>();
      const early = process.result.then(({ err }) =>
        Promise.reject(new Error(`iml serve has ended: ${err}`)),
      );
      early.catch(() => {});
      const readUrls = (): boolean => {
        for (const [, name = '', url = ''] of process.written.err.matchAll(
          /^ {2}(hook-\d+) {2}(http\S+)$/gm,
        )) {
          urls.set(name, url);
        }
        return urls.size === HOOKS;
      };
      await Promise.race([eventually(readUrls), early]);
      return { ...process, urls };
    };
    const first = await serve();
    const second = await serve();
    let isKilled = false;
    const acknowledged = new Map<string, number>();
    const headers = { 'content-type': 'application/json' };
    const sendOne = async (hook: string, n: number): Promise<void> => {
      for (let attempt = n; ; attempt++) {
        const { urls } = attempt % 2 === 0 && !isKilled ? first : second;
        const response = await send(urls.get(hook) ?? '', { headers, body: JSON.stringify({ n }) }).catch(
          () => undefined,
        );
        if (response?.status === 200) return void acknowledged.set(`${hook} ${n}`, Date.now());
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const limit = pLimit(HOOKS);
    const burst = Array.from({ length: HOOKS }, (_, index) =>
      limit(async () => {
        for (let n = 1; n <= EVENTS_PER_HOOK; n++) await sendOne(`hook-${index}`, n);
      }),
    );
    await eventually(() => effects.length > HOOKS * 4);
    first.child.kill('SIGKILL');
    isKilled = true;
    await Promise.all(burst);
    expect(acknowledged.size).toBe(HOOKS * EVENTS_PER_HOOK);
    const client = new pg.Client({ connectionString: database.at });
    await client.connect();
    const countOpen = async (): Promise<number> => {
      const text = "select count(*)::int as open from host_events where status in ('pending', 'running')";
      return (await client.query<{ open: number }>(text)).rows[0]?.open ?? 0;
    };
    await eventually(async () => (await countOpen()) === 0, 60_000);
    await client.end();
    const done = new Set(effects.map(({ hook, n }) => `${hook} ${n}`));
    expect([...acknowledged.keys()].filter((one) => !done.has(one))).toEqual([]);
    for (let index = 0; index < HOOKS; index++) {
      const seen = effects.filter(({ hook }) => hook === `hook-${index}`).map(({ n }) => n);
      // The killed process may have finished several events that it had not committed: they are repeated once, in order.
      const steps = seen.map((n, at) => n - (seen[at - 1] ?? 0));
      expect(
        steps.filter((step) => step > 1),
        `gaps in ${seen}`,
      ).toEqual([]);
      expect(steps.filter((step) => step < 1).length, `steps back in ${seen}`).toBeLessThanOrEqual(1);
    }
    const waits = effects.map(({ hook, n, atMs }) => atMs - (acknowledged.get(`${hook} ${n}`) ?? atMs));
    expect(Math.max(...waits)).toBeLessThan(MAX_STALL_MS);
    second.child.kill('SIGTERM');
    expect((await second.result).code).toBe(0);
  },
);
