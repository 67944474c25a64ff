import { pathToFileURL } from 'node:url';
import type { CheckReport } from './check-app.js';
import type { Finding, Level } from './finding.js';
import type { Rule } from './rule.js';
import { rulePage } from './rule-page.js';
import { RULES } from './rules.js';

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
        ...(file === undefined ? [] : [`file=${escapeProperty(showPath(file))}`]),
        ...(line === undefined ? [] : [`line=${line}`, `col=${column ?? 1}`]),
        `title=${escapeProperty(rule)}`,
      ];
      return `::${COMMANDS[level]} ${properties.join(',')}::${escapeData(message)}\n`;
    })
    .join('');
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
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
export interface SarifRule {
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
