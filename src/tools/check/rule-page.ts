import type { Review, Rule } from './rule.js';

/** Address of the documentation. */
export const DOCS = 'https://github.com/iml-runtime/iml-runtime/blob/main/docs';

/** Address of the page of a rule. */
export function rulePage(id: string): string {
  return `${DOCS}/rules/${id}.md`;
}

/** The page of a rule in `docs/rules/`, as Markdown. */
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

/** The list of all rules, `docs/rules/README.md`. */
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
