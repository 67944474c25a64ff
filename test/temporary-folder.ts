import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Commands flush each file that they write, so a folder in memory is faster where there is one. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Creates an empty folder, which the test removes. */
export function makeTemporaryFolder(): string {
  return mkdtempSync(path.join(PARENT, 'iml-test-'));
}

/** Home folder of commands under test: it has no configuration of the user, and does not exist at first. */
export const TEST_HOME: string = path.join(PARENT, `iml-test-home-${process.pid}`);
