import type { Finding, Level } from './finding.js';
import type { Subject } from './subject/subject.js';

/** What a rule tells of one place; its id and level are added by whoever runs it. */
export type ReportFinding = (finding: Omit<Finding, 'rule' | 'level'>) => void;

/** One thing that can be wrong with an app. Its page in `docs/rules/` is made from it. */
export interface Rule {
  /** Stands in settings, comments and reports: words in kebab-case. */
  readonly id: string;
  /** Unless the settings say otherwise. */
  readonly level: Level;
  /** What is told, in one sentence. */
  readonly summary: string;
  /** Why that is a mistake: what happens at run time. May hold Markdown. */
  readonly why: string;
  /** A piece of a spec that is told of, and the same put right. */
  readonly bad: string;
  readonly good: string;
  /** Whether some of its findings can be mended by `--fix`. Default: false. */
  readonly canFix?: boolean;
  readonly check: (subject: Subject, report: ReportFinding) => void;
}
