// Runs the targets of test/fuzz without a test runner, or the property tests with a random seed. See test/README.md.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const USAGE =
  'Usage: npm run fuzz -- [--cases N] [--seed N] [target ...]\n       npm run fuzz -- [--seed N] properties';

function readArguments() {
  const options = {
    cases: { type: 'string', default: '1000000' },
    help: { type: 'boolean', default: false },
    seed: { type: 'string' },
  };
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

const { values, positionals } = readArguments();
if (values.help) {
  console.info(USAGE);
  process.exit(0);
}
const cases = Number(values.cases);
const seed = Number(values.seed ?? randomInt(2 ** 31));
if (!Number.isSafeInteger(cases) || cases < 1 || !Number.isSafeInteger(seed)) {
  console.error(USAGE);
  process.exit(2);
}

/** Runs all test files that use fast-check, with a random seed. */
function runProperties() {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((file) => path.join('test', file))
    .filter((file) => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes("'fast-check'"));
  console.info(`Properties of ${files.length} files, --seed ${seed}`);
  return spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', '.config/vitest.config.ts', ...files],
    { stdio: 'inherit', env: { ...process.env, IML_SEED: String(seed) } },
  ).status;
}

if (positionals.includes('properties')) {
  if (positionals.length > 1) {
    console.error(USAGE);
    process.exit(2);
  }
  process.exit(runProperties() ?? 1);
}

// At the same depth as test/fuzz, because the code locates fixtures relative to itself.
const outfile = 'node_modules/.cache/fuzz.mjs';
await build({
  entryPoints: ['test/fuzz/main.ts'],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
});
console.info(`${cases} cases of ${positionals.join(', ') || 'every target'}, --seed ${seed}`);
const { status } = spawnSync(
  process.execPath,
  ['--enable-source-maps', outfile, String(cases), String(seed), ...positionals],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
