import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from '@typescript/typescript6';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../host/open-parts.js';
import { listen } from '../http/loopback.js';
import { listCodeBlocks } from './code-blocks.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const REDIS = process.env['IML_TEST_REDIS'] ?? 'redis-server';

async function hasProgram(): Promise<boolean> {
  const child = spawn(REDIS, ['--version'], { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

const hasRedis = await hasProgram();

async function freePort(): Promise<number> {
  const server = await listen(createTcpServer());
  await server.close();
  return Number(new URL(server.origin).port);
}

async function startRedis(): Promise<string> {
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child: ChildProcess = spawn(REDIS, options, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  await eventually(() => output.includes('Ready to accept connections'));
  return `redis://127.0.0.1:${port}`;
}

const reason = hasRedis ? '' : ' (skipped: no redis-server; set IML_TEST_REDIS)';

// Needs a Redis server (IML_TEST_REDIS). CI fails if this test is skipped.
it.skipIf(!hasRedis)(
  `the BullMQ example finishes a job after the rate limit of the API has passed${reason}`,
  { timeout: 60_000 },
  async () => {
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'iml-bullmq-')));
    onTestFinished(() => rm(folder, { recursive: true }));
    const requests: number[] = [];
    const api = await listen(
      createServer((_request, response) => {
        requests.push(Date.now());
        if (requests.length === 1) response.statusCode = 429;
        response.setHeader('retry-after', '1');
        response.setHeader('content-type', 'application/json');
        response.end('{}');
      }),
    );
    onTestFinished(api.close);
    const block = listCodeBlocks(ROOT).find(
      ({ page, code }) => page === 'docs/scale.md' && code.includes('bullmq'),
    );
    const { outputText } = ts.transpileModule(block?.code ?? '', {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
    });
    await mkdir(path.join(folder, 'my-app'));
    const write = (name: string, content: unknown): Promise<void> =>
      writeFile(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    await write('my-app/makecomapp.json', {
      fileVersion: 1,
      generalCodeFiles: {},
      origins: [],
      components: {
        module: { sendMail: { moduleType: 'action', codeFiles: { communication: 'send.json' } } },
      },
    });
    await write('my-app/send.json', {
      url: `${api.origin}/mails`,
      method: 'POST',
      body: { to: '{{parameters.to}}' },
      response: {
        error: { type: '{{if(statusCode = 429, "RateLimitError", "RuntimeError")}}', message: 'Refused.' },
      },
    });
    await mkdir(path.join(folder, 'node_modules'));
    await symlink(ROOT, path.join(folder, 'node_modules/iml-runtime'));
    for (const name of ['bullmq', 'ioredis']) {
      await symlink(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name));
    }
    await write('package.json', { type: 'module', private: true });
    await write('scenarios.mjs', outputText);
    await write(
      'main.mjs',
      `import { queue, worker } from './scenarios.mjs';
worker.on('completed', async (job, result) => {
  console.log(JSON.stringify({ name: job.name, result, attempts: job.attemptsStarted }));
  await worker.close();
  await queue.close();
  process.exit(0);
});
worker.on('failed', (_job, error) => { console.error(error); process.exit(1); });
await queue.add('welcome', {});
`,
    );
    const child = spawn(process.execPath, ['main.mjs'], {
      cwd: folder,
      env: { ...process.env, REDIS_URL: await startRedis() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    const [code] = await once(child, 'exit');
    expect([code, JSON.parse(output)]).toEqual([0, { name: 'welcome', result: 1, attempts: 2 }]);
    expect(requests).toHaveLength(2);
  },
);
