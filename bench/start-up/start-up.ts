import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Gauge, Reading } from '../gauge.js';
import { SIZE, startServer } from '../pages/start-server.js';

/** The first one is the reference. */
const PROGRAMS: readonly (readonly [name: string, script: URL])[] = [
  ['bare node:http', new URL('./native.js', import.meta.url)],
  ['fetch', new URL('./fetch.js', import.meta.url)],
  ['iml-runtime', new URL('./engine.js', import.meta.url)],
];

/** Time from process start to the first bundle, minus that of the first program. */
export const START_UP: Gauge = {
  name: 'J5 process start to first bundle, minus bare node:http',
  floor: 180,
  target: 60,
  unit: 'ms',
  run: async ({ rounds }) => {
    const { origin, stop } = await startServer({ pages: 1, records: 64, pageBytes: 10_000 });
    try {
      return await raceStarts(`${origin}/${SIZE}/contacts?page=1`, rounds);
    } finally {
      await stop();
    }
  },
};

/** Starts all programs in each round. The first round is not counted, because it loads files into memory. */
async function raceStarts(url: string, rounds: number): Promise<readonly Reading[]> {
  const bestMs = PROGRAMS.map(() => Number.POSITIVE_INFINITY);
  const outputs = new Set<string>();
  for (let round = rounds > 1 ? 0 : 1; round <= rounds; round++) {
    for (const [index, [, script]] of PROGRAMS.entries()) {
      const { ms, output } = await timeStart(fileURLToPath(script), url);
      outputs.add(output);
      if (round > 0) bestMs[index] = Math.min(bestMs[index] ?? ms, ms);
    }
  }
  if (outputs.size !== 1) throw new Error(`The programs print different bundles: ${[...outputs].join(' ')}`);
  const [nativeMs = 0] = bestMs;
  return PROGRAMS.map(([name], index) => ({
    name: index === 0 ? `${name} (whole)` : name,
    value: (bestMs[index] ?? Number.NaN) - (index === 0 ? 0 : nativeMs),
    isOurs: name === 'iml-runtime',
  }));
}

interface Start {
  readonly ms: number;
  readonly output: string;
}

function timeStart(script: string, url: string): Promise<Start> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [script, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    let ms: number | undefined;
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      ms ??= performance.now() - startedAt;
      output += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0 && ms !== undefined) resolve({ ms, output });
      else reject(new Error(`${script} exited with ${code}.`));
    });
  });
}
