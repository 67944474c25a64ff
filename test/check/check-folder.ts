import { cli } from '../cli/fake-io.js';

/** A diagnostic as `iml check --json` prints it. */
export interface Finding {
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly place: {
    readonly file?: string;
    readonly line?: number;
    readonly column?: number;
    readonly pointer?: string;
  };
  readonly length?: number;
}

interface CheckReport {
  readonly root: string;
  readonly app?: string;
  readonly findings: readonly Finding[];
  readonly ignored: number;
}

/** The report of `iml check FOLDER --json`. */
export async function checkFolder(folder: string, profile = 'default'): Promise<CheckReport> {
  const { code, out, err } = await cli(['check', folder, '--json', '--profile', profile]);
  // Exit code 1: there are errors.
  if (code > 1 || err !== '') throw new Error(`iml check ended with ${code}: ${err}`);
  const report: CheckReport = JSON.parse(out);
  return report;
}
