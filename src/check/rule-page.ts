import type { Rule } from './rule.js';

/** The page of a rule in `docs/rules/`, as Markdown. */
export function printRulePage({ id, level, summary, why, bad, good, canFix }: Rule): string {
  const fix = canFix === true ? ' `--fix` mends it where there is no doubt.' : '';
  return `# ${id}

Level: ${level}.${fix}

${summary}

${why}

Told of:

\`\`\`text
${bad}
\`\`\`

Put right:

\`\`\`text
${good}
\`\`\`

Another level, or \`off\`, for the whole app stands in \`iml.config.json\`: \`{ "check": { "rules": { "${id}": "off" } } }\`.
One place is left out by a comment at the end of its line or on the line above: \`// iml-ignore ${id}: why\`.
`;
}

/** The list of all rules, `docs/rules/README.md`. */
export function printRuleList(rules: readonly Rule[]): string {
  const rows = rules.map(({ id, level, summary }) => `| [${id}](${id}.md) | ${level} | ${summary} |\n`);
  return `# Rules of \`iml check\`

Each page is made from the file of its rule in \`src/check/rules/\`. What stops an app from loading is told as
\`cannot-load\`, settings that cannot be used as \`unusable-settings\`, a comment that names a rule which does not exist as
\`unknown-rule\`; these are errors and have no level to set.

| rule | level | tells of |
| --- | --- | --- |
${rows.join('')}`;
}
