import { styleText } from 'node:util';
import { showValue } from '../../testing/matching/tagged-values.js';
import type { TestFailure, TestSummary } from '../../testing/suite/test-result.js';
import { fitText } from '../output/print-table.js';
import { printable, printableLine, withoutCommands } from '../output/terminal-text.js';
import { type MakeReporter, printFilePlace, type ReportContext } from './test-reporter.js';

/** Maximum length of a printed value. */
const MAX_VALUE = 400;
/** Maximum number of printed failures per test. */
const MAX_FAILURES = 20;

type Paint = (text: string) => string;

interface Paints {
  readonly red: Paint;
  readonly green: Paint;
  readonly dim: Paint;
  readonly bold: Paint;
}

function createPaints(hasColors: boolean): Paints {
  const paint =
    (style: keyof Paints): Paint =>
    (text) =>
      // The caller has checked the terminal and the environment.
      hasColors ? styleText(style, text, { validateStream: false }) : text;
  return { red: paint('red'), green: paint('green'), dim: paint('dim'), bold: paint('bold') };
}

const TRACE_HINT = 'iml dev <app folder> <trace> shows such a run on a page.\n';

/** Text report: failures with their locations in case and app, and counts. */
export const createHumanReport: MakeReporter = (context) => {
  const paints = createPaints(context.hasColors);
  let hint = '';
  return {
    report: async ({ name, status, failures, notes = [], durationMs, trace }) => {
      const remarks = withoutCommands(
        notes.map((note) => `  ${printable(note).replaceAll('\n', '\n  ')}\n`).join(''),
      );
      if (status === 'skipped' || status === 'todo') {
        return `${paints.dim(status)} ${printableLine(name)}\n${remarks}`;
      }
      if (status === 'passed') {
        if (!context.isVerbose && remarks === '') return '';
        const duration = paints.dim(printDuration(durationMs));
        return `${paints.green('passed')} ${printableLine(name)} ${duration}\n${remarks}`;
      }
      let text = `${paints.red('FAILED')} ${paints.bold(printableLine(name))}\n`;
      for (const failure of failures.slice(0, MAX_FAILURES))
        text += await printFailure(failure, context, paints);
      if (failures.length > MAX_FAILURES) text += `  and ${failures.length - MAX_FAILURES} more\n`;
      if (trace !== undefined) {
        hint = TRACE_HINT;
        text += `  ${paints.dim('trace')}   ${printableLine(context.pathOf(trace))}\n`;
      }
      return `${text}${remarks}\n`;
    },
    finish: (summary) => printSummary(summary, paints) + hint,
  };
};

async function printFailure(failure: TestFailure, context: ReportContext, paints: Paints): Promise<string> {
  const { message, isDifference, expected, got, reason, place, origin } = failure;
  let text = `  ${paints.dim(`${printFilePlace(place, context)}:`)} ${printableLine(message)}\n`;
  if (isDifference) {
    text += `    expected ${paints.green(showShort(expected))}\n`;
    text += `    got      ${paints.red(showShort(got))}\n`;
  }
  if (reason !== undefined) {
    text += withoutCommands(`    ${printable(reason).replaceAll('\n', '\n    ')}\n`);
  }
  if (origin === undefined) return text;
  const pointer = origin.pointer === undefined || origin.pointer === '' ? '' : `  ${origin.pointer}`;
  text += `    made in  ${printFilePlace(origin, context)}${paints.dim(printableLine(pointer))}\n`;
  const frame = await context.frameOf(origin);
  if (frame !== undefined) text += withoutCommands(`${indent(frame)}\n`);
  return text;
}

function showShort(value: unknown): string {
  return fitText(printableLine(showValue(value)), MAX_VALUE);
}

function indent(frame: string): string {
  return frame
    .split('\n')
    .map((line) => `      ${printableLine(line)}`)
    .join('\n');
}

function printSummary({ passed, failed, skipped, todo, durationMs }: TestSummary, paints: Paints): string {
  const parts = [
    ...(failed > 0 ? [paints.red(`${failed} failed`)] : []),
    paints.green(`${passed} passed`),
    ...(skipped > 0 ? [`${skipped} did not run`] : []),
    ...(todo > 0 ? [`${todo} todo`] : []),
  ];
  return `${parts.join(', ')} ${paints.dim(`in ${printDuration(durationMs)}`)}\n`;
}

/** `12 ms`, `1.3 s`. */
function printDuration(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}
