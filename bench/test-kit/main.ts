import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Measures `iml test` as a process with ten and with 1000 cases. An empty Node.js process in each round shows how busy
 * the machine is. Needs `npm run build`.
 */

const BIN = fileURLToPath(new URL('../../../../dist/bin/iml.js', import.meta.url));
const ROUNDS = 5;

const APP = {
  components: {
    module: { list: { label: 'List', moduleType: 'search', codeFiles: { communication: 'list.imljson' } } },
  },
};
const COMMUNICATION = {
  url: 'https://api.example.com/items',
  qs: { limit: '{{parameters.limit}}' },
  response: { iterate: '{{body.items}}', output: { id: '{{item.id}}', name: '{{upper(item.name)}}' } },
};

function writeApp(cases: number): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'iml-bench-'));
  mkdirSync(path.join(folder, 'tests/list'), { recursive: true });
  writeFileSync(path.join(folder, 'makecomapp.json'), JSON.stringify(APP));
  writeFileSync(path.join(folder, 'list.imljson'), JSON.stringify(COMMUNICATION));
  const items = Array.from({ length: 20 }, (_, id) => ({ id, name: `item ${id}` }));
  for (let index = 0; index < cases; index++) {
    const content = {
      component: 'module:list',
      input: { parameters: { limit: index } },
      exchanges: [
        {
          request: { method: 'GET', url: `https://api.example.com/items?limit=${index}` },
          response: { body: { items } },
        },
      ],
      expect: { bundles: items.map(({ id, name }) => ({ id, name: name.toUpperCase() })) },
    };
    writeFileSync(path.join(folder, `tests/list/${index}.test.json`), JSON.stringify(content, null, 2));
  }
  return folder;
}

function timeProcess(args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} exited with ${status}: ${stderr}`);
  return performance.now() - start;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

for (const [cases, targetMs] of [
  [10, 400],
  [1000, 5000],
] as const) {
  const folder = writeApp(cases);
  try {
    const empty: number[] = [];
    const ours: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const bare = timeProcess(['-e', '0']);
      const run = timeProcess([BIN, 'test', folder]);
      // The first round loads files into memory.
      if (round > 0) {
        empty.push(bare);
        ours.push(run);
      }
    }
    const [bare, run] = [medianOf(empty), medianOf(ours)];
    console.log(
      `iml test, ${cases} cases: ${run.toFixed(0)} ms (target ${targetMs}), empty process ${bare.toFixed(0)} ms, ratio ${(run / bare).toFixed(1)}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
