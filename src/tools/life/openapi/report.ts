import { diffLines } from '../../../shared/line-diff.js';
import { escapeUnsafe } from '../../../shared/text.js';
import type { ImportedApp } from './import-openapi.js';
import type { ImportPlan } from './import-state.js';

/** File of an app with the report of its last import. */
export const REPORT_FILE = 'openapi-report.md';

/** Lines of a difference that the report shows. */
const MAX_DIFF_LINES = 60;

/** What changed since the last import; undefined for the first one. */
export interface ImportChanges extends Pick<ImportPlan, 'added' | 'changed' | 'kept'> {
  /** Operations that the document no longer has, and their modules. */
  readonly removed: readonly (readonly [operation: string, module: string])[];
}

/** The report of an import, in Markdown. */
export function printReport(
  { title, modules, leftOut, notes, unresolved }: ImportedApp,
  changes: ImportChanges | undefined,
): string {
  const noted = new Map<string, string[]>();
  for (const { name, notes: own } of modules) {
    for (const note of own) {
      const names = noted.get(note) ?? [];
      names.push(`\`${name}\``);
      noted.set(note, names);
    }
  }
  const checks = [...noted].map(([note, names]) => `- ${names.join(', ')}: ${line(note)}`);
  const sections: readonly (readonly [heading: string, lines: readonly string[]])[] = [
    ['Left out', leftOut.map(({ key, reason }) => `- ${code(key)}: ${line(reason)}`)],
    ['Base and connection', notes.map((note) => `- ${line(note)}`)],
    ['Unresolved references', unresolved.map((note) => `- ${line(note)}`)],
    ['Check these modules', checks],
    ...(changes === undefined ? [] : listChanges(changes)),
    [
      'Modules',
      [
        '| module | operation | pages |',
        '| --- | --- | --- |',
        ...modules.map(
          ({ name, operation, paging }) => `| \`${name}\` | ${code(operation.key)} | ${paging ?? ''} |`,
        ),
      ],
    ],
  ];
  const total = modules.length + leftOut.length;
  const head = [
    `# Import of ${line(title)}`,
    '',
    `${modules.length} of ${total} operations are modules. \`iml init app --openapi\` writes this file.`,
  ];
  return [
    ...head,
    ...sections.flatMap(([heading, lines]) =>
      lines.length === 0 ? [] : ['', `## ${heading}`, '', ...lines],
    ),
    '',
  ].join('\n');
}

function listChanges({
  added,
  changed,
  removed,
  kept,
}: ImportChanges): readonly (readonly [heading: string, lines: readonly string[]])[] {
  return [
    ['Added since the last import', added.map(({ kind, name }) => `- ${kind} ${name}`)],
    ['Updated since the last import', changed.map((name) => `- ${name}`)],
    [
      'No longer imported',
      removed.map(([operation, module]) => `- ${code(operation)}: its module \`${module}\` stays.`),
    ],
    ['Changed by hand and kept', kept.flatMap(printKept)],
  ];
}

/** Differences between the file and the import. */
function printKept({ path, current, generated }: ImportChanges['kept'][number]): readonly string[] {
  const lines = diffLines(current, generated);
  const shown = lines.length > MAX_DIFF_LINES ? [...lines.slice(0, MAX_DIFF_LINES), '...'] : lines;
  // Lines of a text are indented by a mark, so no line of it closes the block.
  return [
    `- \`${path.replaceAll('`', '')}\` differs from the document:`,
    '',
    '  ```diff',
    ...shown.map((text) => `  ${text}`),
    '  ```',
    '',
  ];
}

function line(text: string): string {
  return escapeUnsafe(text.replace(/\s+/g, ' ')).replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function code(text: string): string {
  return `\`${line(text).replaceAll('`', '')}\``;
}
