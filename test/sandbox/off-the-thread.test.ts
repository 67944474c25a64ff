import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** The example of docs/limits.md, as it stands there, with the built package in the place of the installed one. */
const EXAMPLE = /```js\n\/\/ run-app\.js[\s\S]*?\n([\s\S]*?)```/;
const BUILT = new URL('../../dist/index.js', import.meta.url);

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-thread-'));
  const page = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');
  const code = EXAMPLE.exec(page)?.[1]
    ?.replace("'iml-runtime'", JSON.stringify(BUILT.href))
    .replace('maxSteps: Infinity', 'functionTimeoutMs: 300');
  writeFileSync(path.join(folder, 'run-app.mjs'), code ?? '');
  const files = {
    'makecomapp.json': {
      fileVersion: 1,
      generalCodeFiles: { base: 'base.iml.json' },
      components: {
        module: {
          work: { label: 'Work', moduleType: 'action', codeFiles: { communication: 'work.iml.json' } },
        },
        function: { endless: { codeFiles: { code: 'endless.js' } } },
      },
    },
    'base.iml.json': { baseUrl: 'https://api.test' },
    'work.iml.json': { response: { output: '{{endless()}}' } },
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), JSON.stringify(content));
  }
  writeFileSync(path.join(folder, 'endless.js'), 'function endless() { while (true); }');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a custom function that never ends makes nobody wait', async () => {
  const worker = new Worker(path.join(folder, 'run-app.mjs'), { workerData: { folder } });
  let answer: unknown;
  worker.once('message', (message: unknown) => {
    answer = message;
  });
  worker.once('error', (error) => {
    answer = error;
  });
  worker.postMessage({ id: 1, module: 'work', input: {} });
  let turns = 0;
  for (; answer === undefined; turns++) await setImmediate();
  expect(answer).toMatchObject({ id: 1, ok: false, error: { type: 'RuntimeError' } });
  expect(String((answer as { error: Error }).error.message)).toContain('ran longer than');
  // The thread had turns all the time, and not only before and after.
  expect(turns).toBeGreaterThan(50);
  await worker.terminate();
});
