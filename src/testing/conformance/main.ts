import { readCaseLists } from './case-lists.js';
import { findCases } from './find-cases.js';
import { type CaseResult, type CaseStatus, runCases } from './run-cases.js';

const LISTS = new URL('../../../spec-fixtures/', import.meta.url);

/** `npm run conformance -- PATH...`: runs every case found and ends with `N passed, M failed`. */
async function main(paths: readonly string[]): Promise<number> {
  if (paths.length === 0) {
    console.error(
      'Usage: npm run conformance -- PATH...   (files or folders with vectors, fixtures or app fixtures)',
    );
    return 2;
  }
  const { cases, unreadable } = await findCases(paths);
  const counts = new Map<CaseStatus, number>();
  for (const { file, problem } of unreadable)
    console.log(`FAILED    ${file}\n          not readable: ${problem}`);
  for await (const result of runCases(cases, await readCaseLists(LISTS))) {
    counts.set(result.status, (counts.get(result.status) ?? 0) + 1);
    print(result);
  }
  const count = (status: CaseStatus): number => counts.get(status) ?? 0;
  const failed = count('failed') + count('closed') + unreadable.length;
  if (count('gap') > 0) console.log(`${count('gap')} known gaps`);
  if (count('disputed') > 0) console.log(`${count('disputed')} disputed`);
  console.log(`${count('passed')} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

const LABELS: Readonly<Record<CaseStatus, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  gap: 'gap',
  closed: 'FAILED',
  disputed: 'disputed',
};

function print({ case: { id, title, file }, status, differences }: CaseResult): void {
  if (status === 'passed') return;
  console.log(`${LABELS[status].padEnd(10)}${id}  ${title}  (${file})`);
  if (status === 'closed')
    console.log('          passes, but is listed as one that does not: take it out of the list');
  for (const difference of differences) console.log(`          ${difference}`);
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 2;
});
