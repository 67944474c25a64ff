// Runs the targets of test/fuzz with as many cases as asked for: see test/README.md.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cases: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
});
const cases = Number(values.cases);
const seed = Number(values.seed ?? randomInt(2 ** 31));
if (!Number.isSafeInteger(cases) || cases < 1 || !Number.isSafeInteger(seed)) {
  console.error('Usage: npm run fuzz -- [--cases N] [--seed N] [target ...]');
  process.exit(2);
}

process.env.IML_FUZZ_CASES = String(cases);
process.env.IML_SEED = String(seed);
console.info(`${cases} cases of ${positionals.join(', ') || 'every target'}, --seed ${seed}`);
const vitest = await startVitest('test', ['test/fuzz/fuzz.test.ts'], {
  config: '.config/vitest.config.ts',
  project: ['long'],
  watch: false,
  ...(positionals.length > 0 && { testNamePattern: `^(?:${positionals.join('|')}) ` }),
});
await vitest.close();
