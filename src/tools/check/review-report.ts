import type { App } from '../../engine/document/app.js';
import type { Finding } from './finding.js';
import { REVIEW_AREAS, type ReviewArea, type Rule } from './rule.js';
import { isEmpty } from './subject/review-subject.js';

/** The result of `iml check --profile review`, in the order of the form for the review of an app. */
export interface ReviewReport {
  readonly sections: readonly ReviewSection[];
}

/** A part of the review. */
export interface ReviewSection {
  readonly title: string;
  readonly rules: readonly ReviewedRule[];
  /** What only a person can answer. */
  readonly open: readonly string[];
}

/** A rule and what it found. */
export interface ReviewedRule {
  readonly rule: Rule;
  readonly status: 'passed' | 'failed';
  readonly findings: readonly Finding[];
}

const TITLES: Readonly<Record<ReviewArea, string>> = {
  app: 'App and files',
  base: 'Base and hosts',
  connections: 'Connections',
  modules: 'Modules',
  triggers: 'Triggers and epochs',
  webhooks: 'Webhooks',
  rpcs: 'RPCs',
  forms: 'Names, labels and forms',
  functions: 'Custom functions',
  endpoints: 'Endpoints',
};

/** Areas of the rules that are not only for the review. All others belong to `app`. */
const AREAS: Readonly<Partial<Record<ReviewArea, readonly string[]>>> = {
  base: ['unsanitized-secret', 'undeclared-common', 'host-header', 'relative-url', 'missing-url'],
  connections: [
    ...['connection-keeps-nothing', 'unstored-connection-data', 'reserved-parameter', 'unknown-scope'],
    ...['connection-missing', 'missing-communication'],
  ],
  modules: [
    ...['action-iterate', 'unbounded-paging', 'repeated-page', 'unfilled-interface'],
    ...['samples-outside-interface', 'samples-outside-output'],
  ],
  triggers: ['incomplete-trigger'],
  webhooks: ['missing-uid', 'endless-verification', 'unstored-webhook-data'],
  forms: [
    ...['parameter-type', 'duplicate-field', 'missing-label', 'flag-as-text', 'default-type'],
    ...['select-without-options', 'nested-without-store', 'option-without-value', 'undeclared-parameter'],
  ],
  functions: ['function-code', 'function-comment', 'function-length', 'shadowed-function'],
  endpoints: ['unknown-endpoint', 'endpoint-input'],
};

function areaOf({ id, review }: Rule): ReviewArea {
  return review?.area ?? REVIEW_AREAS.find((area) => AREAS[area]?.includes(id)) ?? 'app';
}

/**
 * Arranges the findings of a check for the review.
 *
 * @param rules the rules that were applied
 */
export function createReview(findings: readonly Finding[], rules: readonly Rule[], app: App): ReviewReport {
  const sections = REVIEW_AREAS.map((area): ReviewSection => {
    return {
      title: TITLES[area],
      rules: rules
        .filter((rule) => areaOf(rule) === area)
        .map((rule): ReviewedRule => {
          const own = findings.filter((finding) => finding.rule === rule.id);
          return { rule, status: own.length === 0 ? 'passed' : 'failed', findings: own };
        }),
      open: listQuestions(area, app),
    };
  });
  return { sections: [...sections, { title: 'For the review form', rules: [], open: FORM_QUESTIONS }] };
}

const FORM_QUESTIONS: readonly string[] = [
  'Is there a test scenario for each module, without personal data?',
  'Does the reviewer have credentials of a test account?',
  'Is the documentation of the API public, or attached?',
  'Are the notes and the video that the form asks for attached?',
];

/** Questions that apply to an app. */
function listQuestions(area: ReviewArea, app: App): readonly string[] {
  const types = new Set([...app.modules.values()].map(({ type }) => type));
  switch (area) {
    case 'app':
      return ['Is the label the official spelling of the product? Are theme and icon its own?'];
    case 'connections':
      return app.connections.size === 0
        ? []
        : ['Does the request of each connection fail for wrong credentials?'];
    case 'modules':
      return [
        'Do outputs contain only the personal data that users ask for?',
        'Are names, e-mail addresses and numbers in samples invented?',
      ];
    case 'triggers':
      return types.has('trigger')
        ? ['Does the API return the records in the order that the triggers declare?']
        : [];
    case 'webhooks':
      return [...app.webhooks.values()].flatMap(({ name, type, attach }) => [
        ...(isEmpty(attach?.value) && type === 'web'
          ? [`Does the readme say how to register the address of the webhook "${name}"?`]
          : []),
        ...(type === 'web-shared' ? [`Is the uid of the webhook "${name}" the one of the connection?`] : []),
        `Does the webhook "${name}" check the signature and the age of calls, if the API signs them?`,
      ]);
    case 'functions':
      return app.functions.size === 0 ? [] : ['Do all loops end within ten seconds for the largest input?'];
    default:
      return [];
  }
}
