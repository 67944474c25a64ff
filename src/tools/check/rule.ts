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
  /** Present for a rule of the profile `review`, which other checks skip. */
  readonly review?: Review;
  readonly check: (subject: Subject, report: ReportFinding) => void;
}

/** Subjects of rules, in the order of the form for an app review. */
export const REVIEW_AREAS = [
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

/** An area of the review. */
export type ReviewArea = (typeof REVIEW_AREAS)[number];

/** A rule that the review of an app applies. */
export interface Review {
  readonly area: ReviewArea;
  /** Page of Make's documentation that requires it; undefined for advice of reviewers. */
  readonly source?: string;
}

/** Start of the pages on custom apps. */
const CUSTOM_APPS = 'https://developers.make.com/custom-apps-documentation';

/** A rule that Make's documentation requires, by a page on custom apps or a full address. */
export function official(area: ReviewArea, page: string): Review {
  return { area, source: page.startsWith('https:') ? page : `${CUSTOM_APPS}/${page}` };
}
