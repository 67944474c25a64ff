import type { Finding, Level } from '../../check/finding.js';
import { createSarif, DOCS } from '../../check/reports.js';
import type { Change, ChangedComponent } from './change.js';
import { CHANGE_LEVELS, type ChangeLevel, DIFF_RULES } from './diff-rules.js';

const LEVELS: Readonly<Record<ChangeLevel, Level>> = { breaking: 'error', risky: 'warning', safe: 'info' };

/** `module listUsers`; `app` for the base, common data and groups. */
export function nameComponent({ kind, name }: ChangedComponent): string {
  return kind === 'app' ? 'app' : `${kind} ${name}`;
}

/** Changes as SARIF 2.1.0. Locations are relative to the new version. */
export function createDiffSarif(root: string, changes: readonly Change[], version: string): unknown {
  const findings = changes.map(
    ({ rule, level, component, message, place }): Finding => ({
      rule,
      level: LEVELS[level],
      message: `${nameComponent(component)}: ${message}`,
      place,
    }),
  );
  const rules = Object.entries(DIFF_RULES).map(([id, { level, summary }]) => ({
    id,
    summary,
    level: LEVELS[level],
    page: `${DOCS}/app-life.md#iml-diff`,
  }));
  return createSarif({ root, findings }, { name: 'iml diff', version, rules });
}

const HEADINGS: Readonly<Record<ChangeLevel, string>> = {
  breaking: 'Breaking changes',
  risky: 'Changes that can break scenarios',
  safe: 'Other changes',
};

/** Changes as a section of a changelog: a heading per level, a list item per component. */
export function printChangelog(changes: readonly Change[]): string {
  const sections = CHANGE_LEVELS.flatMap((level) => {
    const ofLevel = changes.filter((change) => change.level === level);
    if (ofLevel.length === 0) return [];
    const names = [...new Set(ofLevel.map(({ component }) => nameComponent(component)))];
    const items = names.map((name) => {
      const messages = ofLevel.filter(({ component }) => nameComponent(component) === name);
      return `- **${escapeMarkdown(name)}**\n${messages.map(({ message }) => `  - ${escapeMarkdown(message)}\n`).join('')}`;
    });
    return [`## ${HEADINGS[level]}\n\n${items.join('')}`];
  });
  return sections.length === 0 ? 'No changes.\n' : sections.join('\n');
}

/** Names come from apps and can contain anything. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>|#]/g, '\\$&').replace(/\s+/g, ' ');
}
