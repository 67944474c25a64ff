import type { Finding, Level } from './finding.js';
import type { Subject } from './subject/subject.js';

/** Reports a diagnostic; the caller adds rule ID and level. */
export type ReportFinding = (finding: Omit<Finding, 'rule' | 'level'>) => void;

/** A rule of the check. Its page in `docs/rules/` is generated from it. */
export interface Rule {
  /** Kebab-case ID for settings, comments and reports. */
  readonly id: string;
  /** Default level. */
  readonly level: Level;
  /** The rule in one sentence. */
  readonly summary: string;
  /** Why it is a mistake at run time. Can contain Markdown. */
  readonly why: string;
  /** A wrong and a corrected example. */
  readonly bad: string;
  readonly good: string;
  /** Whether `--fix` can fix some of its diagnostics. Default: false. */
  readonly canFix?: boolean;
  readonly check: (subject: Subject, report: ReportFinding) => void;
}
