// Runs the targets of test/fuzz with as many cases as asked for: see test/README.md. Bundled and without a test runner,
// which would cost as much again as most cases do.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const USAGE = 'Usage: npm run fuzz -- [--cases N] [--seed N] [target ...]';

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

// As deep as test/fuzz is, as fixtures are found from where the code lies.
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
