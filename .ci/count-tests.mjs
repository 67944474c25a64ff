import { readFileSync } from 'node:fs';

// Written by .config/vitest.config.ts in CI.
const report = JSON.parse(readFileSync('node_modules/.cache/vitest-report.json', 'utf8'));
const skipped = report.testResults.flatMap(({ assertionResults }) =>
  assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed'),
);
for (const { fullName } of skipped) console.error(`skipped: ${fullName}`);
console.log(report.numPassedTests, report.numFailedTests, skipped.length);
