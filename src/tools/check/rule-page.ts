import type { Rule } from './rule.js';

/** Address of the documentation. */
export const DOCS = 'https://github.com/iml-runtime/iml-runtime/blob/main/docs';

/** Address of the page of a rule. */
export function rulePage(id: string): string {
  return `${DOCS}/rules/${id}.md`;
}

/** The page of a rule in `docs/rules/`, as Markdown. */
export function printRulePage({ id, level, summary, why, bad, good, canFix }: Rule): string {
  const fix = canFix === true ? ' `--fix` fixes unambiguous cases.' : '';
  return `# ${id}

Level: ${level}.${fix}

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

/** The list of all rules, `docs/rules/README.md`. */
export function printRuleList(rules: readonly Rule[]): string {
  const rows = rules.map(({ id, level, summary }) => `| [${id}](${id}.md) | ${level} | ${summary} |\n`);
  return `# Rules of \`iml check\`

Each page is generated from its rule in \`src/tools/check/rules/\`. Three more errors have no level to set: \`cannot-load\` (the app does
not load), \`unusable-settings\` (invalid settings) and \`unknown-rule\` (a comment names an unknown rule).

| rule | level | reports |
| --- | --- | --- |
${rows.join('')}`;
}
