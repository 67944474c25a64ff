import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Gauge, Reading } from '../gauge.js';
import { SIZE, startServer } from '../pages/start-server.js';

/*
 * CPU time of whole processes of the command, which depends less on other work of the machine than elapsed time. Needs
 * `npm run build`.
 */

const BIN = fileURLToPath(new URL('../../../../dist/bin/iml.js', import.meta.url));
const REPORT_CPU = new URL('./report-cpu.js', import.meta.url).href;

interface Command {
  readonly name: string;
  readonly floor: number;
  readonly target: number;
  /** Arguments, given the folder of an app. */
  readonly args: (app: string) => readonly string[];
}

/** Maximum number of starts per command. */
const MAX_ROUNDS = 8;

const GAUGES: readonly Command[] = [
  { name: 'iml --help', floor: 120, target: 80, args: () => ['--help'] },
  { name: 'iml eval', floor: 160, target: 120, args: () => ['eval', '{{1 + 1}}'] },
  { name: 'iml info', floor: 200, target: 200, args: (app) => ['info', app] },
  { name: 'iml check', floor: 300, target: 300, args: (app) => ['check', app] },
  { name: 'iml test of one case', floor: 450, target: 300, args: (app) => ['test', app] },
  {
    name: 'iml run of one request',
    floor: 300,
    target: 200,
    args: (app) => ['run', app, 'list', '--allow-local'],
  },
  {
    name: 'iml run of one request and a custom function',
    floor: 450,
    target: 300,
    args: (app) => ['run', app, 'listShouted', '--allow-local'],
  },
];

/** One gauge per command. */
export const COMMANDS: readonly Gauge[] = GAUGES.map(({ name, floor, target, args }) => ({
  name: `J7 CPU of ${name}`,
  floor,
  target,
  unit: 'ms',
  run: async ({ rounds }) => {
    const { origin, stop } = await startServer({ pages: 1, records: 64, pageBytes: 10_000 });
    const app = writeApp(origin);
    try {
      return await readCommand(name, args(app), Math.min(rounds, MAX_ROUNDS));
    } finally {
      rmSync(app, { recursive: true });
      await stop();
    }
  },
}));

/** The best of several starts. The first one is not counted, because it loads files into memory. */
async function readCommand(
  name: string,
  args: readonly string[],
  rounds: number,
): Promise<readonly Reading[]> {
  let bare = Number.POSITIVE_INFINITY;
  let ours = Number.POSITIVE_INFINITY;
  for (let round = rounds > 1 ? 0 : 1; round <= rounds; round++) {
    const bareMs = await readCpu(['-e', '0']);
    const oursMs = await readCpu([BIN, ...args]);
    if (round > 0) [bare, ours] = [Math.min(bare, bareMs), Math.min(ours, oursMs)];
  }
  return [
    { name: 'an empty process', value: bare, isOurs: false },
    { name, value: ours, isOurs: true },
  ];
}

async function readCpu(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [`--import=${REPORT_CPU}`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  let output = '';
  let micros = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  child.stdio[3]?.on('data', (bytes: Buffer) => {
    micros += bytes.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`iml ${args.slice(1).join(' ')} exited with ${code}: ${output}`);
  return Number(micros) / 1000;
}

const CONTACT = { id: '{{item.id}}', email: '{{item.email}}' };

/** Writes an app with two modules, one with a custom function, and a test case. @returns its folder */
function writeApp(origin: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'iml-bench-'));
  const write = (name: string, content: unknown): void => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  };
  const list = (output: object): object => ({
    url: `${origin}/${SIZE}/contacts`,
    qs: { page: 1 },
    response: { iterate: '{{body.items}}', output },
  });
  const module = (label: string, communication: string): object => ({
    label,
    moduleType: 'search',
    codeFiles: { communication },
  });
  write('makecomapp.json', {
    generalCodeFiles: {},
    components: {
      module: {
        list: module('List', 'list.iml.json'),
        listShouted: module('List loudly', 'shouted.iml.json'),
      },
      function: { shout: { codeFiles: { code: 'shout.js' } } },
    },
  });
  write('list.iml.json', list(CONTACT));
  write('shouted.iml.json', list({ ...CONTACT, city: '{{shout(item.city)}}' }));
  write('shout.js', 'function shout(text) { return String(text).toUpperCase(); }\n');
  write('tests/list.test.json', {
    component: 'module:list',
    exchanges: [
      {
        request: { method: 'GET', url: `${origin}/${SIZE}/contacts?page=1` },
        response: { body: { items: [{ id: 1, email: 'ann@example.com' }] } },
      },
    ],
    expect: { bundles: [{ id: 1, email: 'ann@example.com' }] },
  });
  return folder;
}
