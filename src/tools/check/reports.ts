import { pathToFileURL } from 'node:url';
import type { App } from '../../engine/document/app.js';
import { escapeCommandData, escapeCommandProperty } from '../../shared/text.js';
import type { CheckReport } from './check-app.js';
import type { Finding, Level } from './finding.js';
import { AREAS, type Area, type Review, type Rule } from './rule.js';
import { RULES } from './rules.js';
import { isEmpty } from './subject/review-subject.js';

const COMMANDS: Readonly<Record<Level, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/**
 * Diagnostics as GitHub workflow commands.
 *
 * @param showPath path of a file relative to the repository
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function createAnnotations(findings: readonly Finding[], showPath: (file: string) => string): string {
  return findings
    .map(({ rule, level, message, place }) => {
      const { file, line, column } = place;
      const properties = [
        ...(file === undefined ? [] : [`file=${escapeCommandProperty(showPath(file))}`]),
        ...(line === undefined ? [] : [`line=${line}`, `col=${column ?? 1}`]),
        `title=${escapeCommandProperty(rule)}`,
      ];
      return `::${COMMANDS[level]} ${properties.join(',')}::${escapeCommandData(message)}\n`;
    })
    .join('');
}

/** Source: SARIF 2.1.0, section 3.27.10 (level property). */
const SARIF_LEVELS: Readonly<Record<Level, string>> = { error: 'error', warning: 'warning', info: 'note' };

/**
 * A report as SARIF 2.1.0 for code scanners and editors.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function createSarif(
  { root, findings }: Pick<CheckReport, 'root' | 'findings'>,
  { name, version, rules }: SarifTool,
): Record<string, unknown> {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name,
            semanticVersion: version,
            rules: rules.map(({ id, summary, why, level, page }) => ({
              id,
              shortDescription: { text: summary },
              fullDescription: { text: why ?? summary },
              helpUri: page,
              defaultConfiguration: { level: SARIF_LEVELS[level] },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { APP: { uri: `${pathToFileURL(root).href}/` } },
        results: findings.map(describe),
      },
    ],
  };
}

/** The program that made a report. */
export interface SarifTool {
  readonly name: string;
  readonly version: string;
  readonly rules: readonly SarifRule[];
}

/** A rule as SARIF describes it. */
interface SarifRule {
  readonly id: string;
  readonly summary: string;
  readonly why?: string;
  readonly level: Level;
  /** Address of its page. */
  readonly page: string;
}

/** `iml check` as the program of a report. */
export function describeCheck(version: string, rules: readonly Rule[] = RULES): SarifTool {
  return {
    name: 'iml check',
    version,
    rules: rules.map(({ id, summary, why, level }) => ({ id, summary, why, level, page: rulePage(id) })),
  };
}

function describe({ rule, level, message, place, length }: Finding): Record<string, unknown> {
  const { file, line, column } = place;
  const region =
    line === undefined
      ? undefined
      : {
          startLine: line,
          startColumn: column ?? 1,
          ...(length !== undefined && { endColumn: (column ?? 1) + length }),
        };
  return {
    ruleId: rule,
    level: SARIF_LEVELS[level],
    message: { text: message },
    locations:
      file === undefined
        ? []
        : [
            {
              physicalLocation: {
                artifactLocation: { uri: encodePath(file), uriBaseId: 'APP' },
                ...(region && { region }),
              },
            },
          ],
  };
}

/** Names can contain `#`, `?` and `%`. */
function encodePath(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}

/** Address of the documentation. */
export const DOCS = 'https://iml-runtime.github.io/iml-runtime';

/** Address of the page of a rule. */
export function rulePage(id: string): string {
  return `${DOCS}/rules/${id}.html`;
}

/** The page of a rule, as Markdown. `npm run docs` writes it to `docs/rules/`. */
export function printRulePage({ id, level, summary, why, bad, good, canFix, review }: Rule): string {
  const fix = canFix === true ? ' `--fix` fixes unambiguous cases.' : '';
  return `# ${id}

Level: ${level}.${fix}${review === undefined ? '' : ` ${describeReview(review)}`}

${summary}

${why}

Reported:

\`\`\`text
${bad}
\`\`\`

Corrected:

\`\`\`text
${good}
\`\`\`

To set another level, or \`off\`, for the whole app, use \`iml.config.json\`: \`{ "check": { "rules": { "${id}": "off" } } }\`.
To ignore one location, add a comment at the end of its line or on the line above: \`// iml-ignore ${id}: why\`.
`;
}

function describeReview({ source }: Review): string {
  const profile = 'Applied with `--profile review` only.';
  if (source === undefined)
    return `${profile} Advice of reviewers; Make's documentation does not ask for it.`;
  return `${profile} [Make's documentation](${source}) asks for it.`;
}

/** The list of all rules, `docs/rules/index.md`. */
export function printRuleList(rules: readonly Rule[]): string {
  const rows = (isOfReview: boolean): string =>
    rules
      .filter(({ review }) => (review !== undefined) === isOfReview)
      .map(({ id, level, summary }) => `| [${id}](${id}.md) | ${level} | ${summary} |\n`)
      .join('');
  return `# Rules of \`iml check\`

Each page is generated from its rule in \`src/tools/check/rules/\`. Three more errors have no level to set: \`cannot-load\` (the app does
not load), \`unusable-settings\` (invalid settings) and \`unknown-rule\` (a comment names an unknown rule).

| rule | level | reports |
| --- | --- | --- |
${rows(false)}
## Profile \`review\`

\`iml check --profile review\` also applies these rules, and prints what passes, what fails and what a person has to answer.

| rule | level | reports |
| --- | --- | --- |
${rows(true)}`;
}

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

/** A rule and its diagnostics. */
export interface ReviewedRule {
  readonly rule: Rule;
  readonly status: 'passed' | 'failed';
  readonly findings: readonly Finding[];
}

const TITLES: Readonly<Record<Area, string>> = {
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

/**
 * Arranges the findings of a check for the review.
 *
 * @param rules the rules that were applied
 */
export function createReview(findings: readonly Finding[], rules: readonly Rule[], app: App): ReviewReport {
  const sections = AREAS.map((area): ReviewSection => {
    return {
      title: TITLES[area],
      rules: rules
        .filter((rule) => rule.area === area)
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
  'Are the notes and the video that the form requires attached?',
];

/** Questions that apply to an app. */
function listQuestions(area: Area, app: App): readonly string[] {
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
