import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createFrameReader } from '../../../engine/loading/spec-frame.js';
import { createFolderWriter, relativePath } from '../../../shared/files.js';
import { didYouMean } from '../../../shared/suggest.js';
import { type CheckReport, checkFolder } from '../../check/check-app.js';
import { type Finding, LEVELS, type Level } from '../../check/finding.js';
import { applyFixes } from '../../check/fixes.js';
import {
  createAnnotations,
  createReview,
  createSarif,
  describeCheck,
  printRulePage,
  type ReviewReport,
  rulePage,
} from '../../check/reports.js';
import type { Rule } from '../../check/rule.js';
import { RULES } from '../../check/rules.js';
import { CHECK_PROFILES } from '../../check/settings.js';
import { type Arguments, type Command, EXIT, readVersion, usageError } from '../command.js';
import { readFormat, readOneOf } from '../input/option-values.js';
import type { Io } from '../io.js';
import { APP_FOLDER, findAppFolder, refuseMissing } from '../open-app.js';
import { printPrettyJson } from '../output/json-output.js';
import { countFindings, findingLine, printFindings } from '../output/print-findings.js';
import { printable, printableLine } from '../output/terminal-text.js';

const FORMATS = ['human', 'json', 'sarif', 'github'] as const;
type Format = (typeof FORMATS)[number];

export const CHECK_COMMAND: Command = {
  name: 'check',
  about: 'Reports mistakes in an app without running it.',
  positionals: [APP_FOLDER],
  options: {
    format: { value: FORMATS.join('|'), help: 'Output format. Default: human.' },
    json: { help: 'Short for --format json.' },
    'fail-on': {
      value: `${LEVELS.join('|')}|never`,
      help: 'Lowest level that sets exit code 1. Default: error.',
    },
    strict: { help: 'Exit code 1 for warnings too: --fail-on warning.' },
    profile: {
      value: CHECK_PROFILES.join('|'),
      help: 'review: also reports what the app review of Make requires. Default: the profile in iml.config.json.',
    },
    fix: { help: 'Applies safe fixes, then checks again.' },
    rules: { help: 'Lists all rules with their levels, then exits.' },
    explain: { value: 'RULE', help: 'Prints the page of a rule, then exits.' },
  },
  examples: [
    'iml check ./my-app',
    'iml check --format sarif > iml.sarif',
    'iml check ./my-app --profile review --strict',
    'iml check --explain unknown-name',
  ],
  notes: [
    'iml.config.json sets the levels of rules and ignored folders: {"check": {"rules": {"dead-branch": "off"}, "ignore": ["old"]}}.\nA comment // iml-ignore RULE: REASON suppresses one diagnostic.',
  ],
  run: checkApp,
};

async function checkApp(args: Arguments, io: Io): Promise<number> {
  if (args.isSet('rules')) return listRules(io);
  const explained = args.text('explain');
  if (explained !== undefined) return explainRule(explained, io);
  const profile = readOneOf(args, 'profile', CHECK_PROFILES);
  const format = readFormat(args, FORMATS);
  const failOn = readFailOn(args);
  const given = await findAppFolder(args.positionals[0], io);
  const folder = path.resolve(io.cwd, given);
  const check = (): Promise<CheckReport> => checkFolder(folder, profile).catch(refuseMissing);
  let report = await check();
  if (args.isSet('fix')) {
    const applied = await fixFiles(report);
    report = applied === 0 ? report : await check();
    await io.stderr.write(`${applied} mended.\n`);
  }
  await io.stdout.write(await printReport(report, format, io));
  const limit = failOn === undefined ? -1 : LEVELS.indexOf(failOn);
  return report.findings.some(({ level }) => LEVELS.indexOf(level) <= limit) ? EXIT.failed : EXIT.ok;
}

/** Undefined for `never`. */
function readFailOn(args: Arguments): Level | undefined {
  const strict = args.isSet('strict');
  if (strict && args.isSet('fail-on')) throw usageError('--strict and --fail-on exclude each other.');
  const level = readOneOf(args, 'fail-on', [...LEVELS, 'never']) ?? (strict ? 'warning' : 'error');
  return level === 'never' ? undefined : level;
}

async function printReport(report: CheckReport, format: Format, io: Io): Promise<string> {
  const { root, findings, ignored, checked } = report;
  const review =
    checked?.profile === 'review' ? createReview(findings, checked.rules, checked.app) : undefined;
  const showPath = (file: string): string => relativePath(io.cwd, path.join(root, file)) || file;
  switch (format) {
    case 'json':
      return `${printPrettyJson({ app: report.app, root, findings, ignored, ...reviewToJson(review) })}\n`;
    case 'sarif':
      return `${printPrettyJson(createSarif(report, describeCheck(readVersion(), checked?.rules)))}\n`;
    case 'github':
      return printable(createAnnotations(findings, showPath));
    default: {
      const frameAt = createFrameReader(root);
      const readFrame = ({ place }: Finding): Promise<string | undefined> => frameAt(place);
      const hidden = ignored === 0 ? '' : `, ${ignored} left out by settings and comments`;
      // Comments with unknown rules are findings of no rule.
      const listed =
        review === undefined
          ? findings
          : findings.filter(({ rule }) => checked?.rules.every(({ id }) => id !== rule));
      const sections = review === undefined ? '' : printReview(review, showPath);
      const lines = await printFindings(listed, showPath, readFrame);
      return `${sections}${lines}${countFindings(findings)}${hidden}\n`;
    }
  }
}

function reviewToJson(review: ReviewReport | undefined): object {
  if (review === undefined) return {};
  const sections = review.sections.map(({ title, rules, open }) => ({
    title,
    rules: rules.map(({ rule: { id, review: of }, status, findings }) => ({
      id,
      status,
      page: rulePage(id),
      ...(of !== undefined && { source: of.source ?? 'advice of reviewers' }),
      findings: findings.length,
    })),
    open,
  }));
  return { review: sections };
}

/** Sections in the order of the review form: failed rules with their diagnostics, the passed ones, and questions. */
function printReview({ sections }: ReviewReport, showPath: (file: string) => string): string {
  return sections
    .map(({ title, rules, open }, index) => {
      const failed = rules.filter(({ status }) => status === 'failed');
      const passed = rules.length - failed.length;
      const lines = [
        `${index + 1}. ${title}`,
        ...failed.flatMap(({ rule, findings }) => [
          `  failed  ${rule.id}: ${rule.summary}${isAdvice(rule) ? ' (advice of reviewers)' : ''}`,
          ...findings.map((finding) => `            ${findingLine(finding, showPath).trimEnd()}`),
        ]),
        ...(passed > 0 ? [`  passed  ${passed} ${passed === 1 ? 'rule' : 'rules'}`] : []),
        ...open.map((question) => `  open    ${printableLine(question)}`),
      ];
      return `${lines.join('\n')}\n\n`;
    })
    .join('');
}

function isAdvice({ review }: Rule): boolean {
  return review !== undefined && review.source === undefined;
}

async function explainRule(id: string, io: Io): Promise<number> {
  const rule = RULES.find((one) => one.id === id);
  if (rule === undefined) {
    const hint =
      didYouMean(
        id,
        RULES.map((one) => one.id),
      ) || ' iml check --rules lists all.';
    throw usageError(`There is no rule "${id}".${hint}`);
  }
  await io.stdout.write(`${printRulePage(rule)}\n${rulePage(id)}\n`);
  return EXIT.ok;
}

/** Writes each fixed file as a whole. */
async function fixFiles({ root, findings }: CheckReport): Promise<number> {
  const files = new Set(findings.flatMap(({ fix }) => fix?.edits.map(({ file }) => file) ?? []));
  const writer = createFolderWriter(root);
  let count = 0;
  for (const file of files) {
    const target = path.join(root, file);
    const written = await readFile(target, 'utf8');
    const mark = written.startsWith('\uFEFF') ? '\uFEFF' : '';
    const { text, applied } = applyFixes(written.slice(mark.length), file, findings);
    if (applied > 0) await writer.replace(target, mark + text);
    count += applied;
  }
  return count;
}

async function listRules(io: Io): Promise<number> {
  const width = Math.max(...RULES.map(({ id }) => id.length));
  const lines = RULES.map(
    ({ id, level, summary }) => `${id.padEnd(width)}  ${level.padEnd(7)}  ${summary}\n`,
  );
  await io.stdout.write(lines.join(''));
  return EXIT.ok;
}
