// Changes the code of a room in every small way and looks whether a test notices: see test/README.md.
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

/**
 * What is changed, and the tests that have to notice. What runs when a file is loaded (`static`) needs all tests for each
 * change, so it is changed only where it is what matters: the table of roles.
 */
const ROOMS = {
  paging: {
    mutate: ['src/run/paging/*.ts'],
    tests: ['test/run/*.test.ts', 'test/conformance/fixtures.test.ts', 'test/trigger/*.test.ts'],
  },
  response: {
    mutate: ['src/run/response/*.ts'],
    tests: ['test/run/*.test.ts', 'test/conformance/fixtures.test.ts'],
  },
  redaction: {
    mutate: ['src/redaction/*.ts'],
    tests: ['test/redaction/*.test.ts'],
  },
  roles: { mutate: ['src/rest/call/roles.ts'], tests: ['test/rest/role-table.test.ts'], static: true },
  membership: {
    mutate: ['src/rest/users/user-roles.ts', 'src/rest/users/invitation-life.ts'],
    tests: ['test/rest/roles.test.ts', 'test/rest/hostile.test.ts', 'test/rest/contract-memory.test.ts'],
  },
  ...Object.fromEntries(
    ['compile', 'date', 'environment', 'functions', 'pattern', 'syntax', 'values'].map((room) => [
      `iml/${room}`,
      {
        mutate: [`src/iml/${room}/*.ts`],
        tests: ['test/iml/**/*.test.ts', 'test/conformance/vectors.test.ts'],
      },
    ]),
  ),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '1' } },
});
const rooms = positionals.length > 0 ? positionals : Object.keys(ROOMS);
const unknown = rooms.filter((room) => !Object.hasOwn(ROOMS, room));
const concurrency = Number(values.concurrency);
if (unknown.length > 0 || !Number.isSafeInteger(concurrency) || concurrency < 1) {
  console.error(`Usage: npm run mutation -- [--concurrency N] [${Object.keys(ROOMS).join(' | ')} ...]`);
  process.exit(2);
}

// Random cases that differ from run to run would kill a mutant in one and not in the next.
process.env.IML_SEED ??= '1';
let isBelow = false;
for (const room of rooms) {
  const { mutate, tests, static: isStatic = false } = ROOMS[room];
  process.env.IML_MUTATION_TESTS = tests.join(',');
  const name = room.replace('/', '-');
  const results = await new Stryker({
    mutate,
    concurrency,
    testRunner: 'vitest',
    vitest: { configFile: '.config/mutation.config.ts', related: false },
    coverageAnalysis: 'perTest',
    ignoreStatic: !isStatic,
    ignorePatterns: ['/bench', '/dist', '/docs', '/.github', '/.ci'],
    tempDirName: `node_modules/.cache/stryker/${name}`,
    reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
    clearTextReporter: { reportTests: false, allowColor: false, logTests: false, allowEmojis: false },
    htmlReporter: { fileName: `node_modules/.cache/mutation/${name}.html` },
    dryRunTimeoutMinutes: 15,
    // A machine with other work must not kill what survives.
    timeoutMS: 30_000,
    jsonReporter: { fileName: `node_modules/.cache/mutation/${name}.json` },
    allowConsoleColors: false,
  }).runMutationTest();
  const judged = results.filter(({ status }) =>
    ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status),
  );
  const killed = judged.filter(({ status }) => status === 'Killed' || status === 'Timeout');
  const percent = (100 * killed.length) / judged.length;
  console.info(`${room}: ${killed.length} of ${judged.length} killed, ${percent.toFixed(1)} %`);
  isBelow ||= percent < 80;
}
process.exitCode = isBelow ? 1 : 0;
