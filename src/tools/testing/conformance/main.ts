import { type CaseResult, type CaseStatus, readCaseLists, runCases } from './run-cases.js';

/** Absent in the package: nothing is known to fail. */
const LISTS = new URL('../../../../spec-fixtures/', import.meta.url);

const CHECK = '--check-parameters';

const USAGE = `Usage: node node_modules/iml-runtime/dist/node/conformance.js [${CHECK}] PATH...
       npm run conformance -- [${CHECK}] PATH...   (in the repository)

PATH is a file with vectors, fixtures or runs of an app, or a folder of such files.
Parameters of runs of an app are checked and converted as in a run, or taken as they are where only that passes, with a
note. With ${CHECK} only the first counts.
`;

/** Runs all cases and prints `N passed, M failed` at the end. */
async function main(args: readonly string[]): Promise<number> {
  const paths = args.filter((arg) => !arg.startsWith('-'));
  const unknown = args.find((arg) => arg.startsWith('-') && arg !== CHECK && arg !== '--help');
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (paths.length === 0 || unknown !== undefined) {
    process.stderr.write(unknown === undefined ? USAGE : `Unknown option ${unknown}.\n\n${USAGE}`);
    return 2;
  }
  const { findCases } = await import('./find-cases.js');
  const { cases, unreadable } = await findCases(paths);
  const counts = new Map<CaseStatus, number>();
  let noted = 0;
  for (const { file, problem } of unreadable)
    console.log(`FAILED    ${file}\n          not readable: ${problem}`);
  const options = { checkParameters: args.includes(CHECK) };
  for await (const result of runCases(cases, await readCaseLists(LISTS), options)) {
    counts.set(result.status, (counts.get(result.status) ?? 0) + 1);
    noted += result.notes.length;
    print(result);
  }
  const count = (status: CaseStatus): number => counts.get(status) ?? 0;
  const failed = count('failed') + count('closed') + unreadable.length;
  if (noted > 0) console.log(`${noted} with parameters that no run would give`);
  if (count('gap') > 0) console.log(`${count('gap')} known gaps`);
  if (count('disputed') > 0) console.log(`${count('disputed')} disputed`);
  console.log(`${count('passed')} passed, ${failed} failed`);
  if (count('passed') + failed === 0) console.log('No case ran that counts.');
  return count('passed') > 0 && failed === 0 ? 0 : 1;
}

const LABELS: Readonly<Record<CaseStatus, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  gap: 'gap',
  closed: 'FAILED',
  disputed: 'disputed',
};

function print({ case: { id, title, file }, status, differences, notes }: CaseResult): void {
  if (status === 'passed') {
    for (const note of notes) console.log(`${'note'.padEnd(10)}${id}  ${note}`);
    return;
  }
  console.log(`${LABELS[status].padEnd(10)}${id}  ${title}  (${file})`);
  if (status === 'closed')
    console.log('          passes, but is listed as failing. Remove it from the list.');
  for (const difference of differences) console.log(`          ${difference}`);
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 2;
});
