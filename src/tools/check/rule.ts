import type { Finding, Level } from './finding.js';
import type { Subject } from './subject/subject.js';

/** Reports a diagnostic; the caller adds rule ID and level. */
export type ReportFinding = (finding: Omit<Finding, 'rule' | 'level'>) => void;

/** A rule of the check. Its page in `docs/rules/` is generated from it. */
export interface Rule {
  /** Kebab-case ID for settings, comments and reports. */
  readonly id: string;
  /** Section of the review report that lists the rule. */
  readonly area: Area;
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
  /** Present for a rule of the profile `review`, which other checks skip. */
  readonly review?: Review;
  readonly check: (subject: Subject, report: ReportFinding) => void;
}

/** Sections of the review report, in the order of the form for an app review. `app` has the rules for any component. */
export const AREAS = [
  'app',
  'base',
  'connections',
  'modules',
  'triggers',
  'webhooks',
  'rpcs',
  'forms',
  'functions',
  'endpoints',
] as const;

/** The part of an app that a rule is about. */
export type Area = (typeof AREAS)[number];

/** A rule that only the review of an app applies. */
export interface Review {
  /** Page of Make's documentation that requires it; undefined for advice of reviewers. */
  readonly source?: string;
}

/** A rule that reviewers advise, without a page of Make's documentation. */
export const ADVICE: Review = {};

/** Start of the pages on custom apps. */
const CUSTOM_APPS = 'https://developers.make.com/custom-apps-documentation';

/** A rule that Make's documentation requires, by a page on custom apps or a full address. */
export function official(page: string): Review {
  return { source: page.startsWith('https:') ? page : `${CUSTOM_APPS}/${page}` };
}
