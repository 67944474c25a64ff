// Changes the code of a room in every small way and looks whether a test notices: see test/README.md.
import { readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { NOT_DRAWN } from './not-drawn.mjs';

/** Where each place that is passed is counted, their large inputs cost minutes, and times are not those of the code. */
const LARGE = new Set(['growth.test.ts', 'hostile-patterns.test.ts', 'search-time.test.ts', 'turns.test.ts']);

function listTests(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.test.ts') && !LARGE.has(basename(name)))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/**
 * What is changed, and the tests that have to notice. What runs when a file is loaded (`static`) needs all tests for each
 * change, so it is changed only where it is what matters: the table of roles.
 */
const ROOMS = {
  paging: {
    mutate: ['src/run/paging/*.ts'],
    tests: [...listTests('test/run'), 'test/conformance/fixtures.test.ts', 'test/trigger'],
  },
  response: {
    mutate: ['src/run/response/*.ts'],
    // Those with large bodies cost seconds for each change, and notice none that the others do not.
    tests: [
      ...[
        'build-answer',
        'collect-outputs',
        'deep-trace',
        'errors',
        'hostile-responses',
        'paginate',
        'receive-response',
        'request-members',
        'run-scope',
        'steps',
        'stream',
      ].map((name) => `test/run/${name}.test.ts`),
      'test/conformance/fixtures.test.ts',
    ],
  },
  redaction: {
    mutate: ['src/redaction/*.ts'],
    tests: listTests('test/redaction'),
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
        tests: [...listTests('test/iml'), 'test/conformance/vectors.test.ts'],
      },
    ]),
  ),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    again: { type: 'string' },
    concurrency: { type: 'string', default: '1' },
    every: { type: 'string', default: '1' },
  },
});
const rooms = positionals.length > 0 ? positionals : Object.keys(ROOMS);
const unknown = rooms.filter((room) => !Object.hasOwn(ROOMS, room));
const concurrency = Number(values.concurrency);
const every = Number(values.every);
if (unknown.length > 0 || ![concurrency, every].every((count) => Number.isSafeInteger(count) && count > 0)) {
  const names = Object.keys(ROOMS).join(' | ');
  console.error(`Usage: npm run mutation -- [--again REPORT] [--concurrency N] [--every N] [${names} ...]`);
  process.exit(2);
}
process.env.IML_MUTATION_EVERY = String(every);
if (values.again !== undefined) process.env.IML_MUTATION_AGAIN = resolve(values.again);

// Rooms of the same tests share what it takes to load them.
const runs = new Map();
for (const room of rooms) {
  const { tests } = ROOMS[room];
  runs.set(String(tests), [...(runs.get(String(tests)) ?? []), room]);
}
let isBelow = false;
for (const [tests, together] of runs) {
  const isStatic = together.some((room) => ROOMS[room].static === true);
  process.env.IML_MUTATION_TESTS = tests;
  const name = together.length > 1 ? 'iml' : together[0].replace('/', '-');
  const results = await new Stryker({
    mutate: together.flatMap((room) => ROOMS[room].mutate),
    concurrency,
    testRunner: 'room',
    plugins: [fileURLToPath(new URL('mutation-runner.mjs', import.meta.url))],
    coverageAnalysis: 'perTest',
    ignoreStatic: !isStatic,
    ignorePatterns: ['/bench', '/dist', '/docs', '/.*', '/src/dev/page', '/test/browser', '/tsconfig.json'],
    tempDirName: `node_modules/.cache/stryker/${name}`,
    reporters: ['progress-append-only', 'survivors', 'html', 'json'],
    htmlReporter: { fileName: `node_modules/.cache/mutation/${name}.html` },
    dryRunTimeoutMinutes: 15,
    // A machine with other work must not kill what survives.
    timeoutMS: 20_000,
    jsonReporter: { fileName: `node_modules/.cache/mutation/${name}.json` },
    allowConsoleColors: false,
  }).runMutationTest();
  for (const room of together) isBelow = !(tellResult(room, results) >= 80) || isBelow;
  const untried = results.filter(
    ({ status, statusReason }) => status === 'RuntimeError' && statusReason !== NOT_DRAWN,
  );
  if (untried.length > 0) {
    isBelow = true;
    console.info(`${untried.length} changes could not be tried: ${untried[0].statusReason}`);
  }
}
process.exitCode = isBelow ? 1 : 0;

function tellResult(room, results) {
  const { mutate } = ROOMS[room];
  const judged = results.filter(
    ({ fileName, status }) =>
      ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status) &&
      mutate.some((pattern) => fileName.includes(pattern.replace('*.ts', ''))),
  );
  const killed = judged.filter(({ status }) => status === 'Killed' || status === 'Timeout');
  const percent = (100 * killed.length) / judged.length;
  console.info(`${room}: ${killed.length} of ${judged.length} killed, ${percent.toFixed(1)} %`);
  return percent;
}
