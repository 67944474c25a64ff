import path from 'node:path';
import type { App } from '../../../engine/document/app.js';
import { relativePath } from '../../../shared/files.js';
import {
  type CountedPoint,
  type CoverageCollector,
  collectCoverage,
  type PointKind,
} from '../../testing/suite/coverage.js';
import type { Arguments } from '../command.js';
import { chooseWord } from '../input/option-values.js';
import type { Io } from '../io.js';
import { printPrettyJson } from '../output/json-output.js';
import { writeOutputFile } from '../output/output-file.js';
import { printable } from '../output/terminal-text.js';

/** Coverage of one app, and how to print its paths. */
interface AppCoverage {
  readonly points: readonly CountedPoint[];
  /** Converts a path relative to the app for the report. */
  readonly pathOf: (file: string) => string;
}

/** Reached and total number of points of a kind. */
interface CoverageTotal {
  readonly kind: PointKind;
  readonly reached: number;
  readonly total: number;
}

const KINDS: readonly (readonly [kind: PointKind, plural: string])[] = [
  ...([
    ['module', 'modules'],
    ['rpc', 'RPCs'],
    ['endpoint', 'endpoints'],
    ['connection', 'connections'],
    ['webhook', 'webhooks'],
  ] as const),
  ...([
    ['directive', 'directives'],
    ['error', 'error entries'],
    ['pagination', 'pagination'],
  ] as const),
  ['branch', 'branches'],
];

/** Totals by kind in a fixed order, without empty kinds. */
function sumCoverage(points: readonly CountedPoint[]): readonly CoverageTotal[] {
  return KINDS.map(([kind]) => {
    const ofKind = points.filter((point) => point.kind === kind);
    return { kind, reached: ofKind.filter(({ count }) => count > 0).length, total: ofKind.length };
  }).filter(({ total }) => total > 0);
}

/** Text report: totals, then all unreached points. */
function printCoverageText({ points, pathOf }: AppCoverage): string {
  const names = new Map(KINDS);
  const totals = sumCoverage(points).map(
    ({ kind, reached, total }) => `  ${(names.get(kind) ?? kind).padEnd(14)} ${reached} of ${total}\n`,
  );
  const missing = points
    .filter(({ count }) => count === 0)
    .map(({ kind, label, place }) => {
      const where =
        place.file === undefined ? '' : `${pathOf(place.file)}:${place.line ?? 1}:${place.column ?? 1}: `;
      const what = kind === 'branch' ? `never seen: ${label}` : `${kind} ${label}`;
      return `  ${where}${what}\n`;
    });
  const list = missing.length === 0 ? '' : `not reached\n${missing.join('')}`;
  return `coverage\n${totals.join('')}${list}`;
}

/** JSON report: `{totals, points}`. */
function describeCoverage({ points, pathOf }: AppCoverage): unknown {
  return {
    totals: Object.fromEntries(sumCoverage(points).map(({ kind, ...total }) => [kind, total])),
    points: points.map(({ kind, label, place, count }) => ({
      kind,
      label,
      count,
      place: { ...place, ...(place.file !== undefined && { file: pathOf(place.file) }) },
    })),
  };
}

/**
 * LCOV report: a directive counts as a line, a decision as a branch.
 *
 * @see https://github.com/linux-test-project/lcov (geninfo, tracefile format)
 */
function printLcov({ points, pathOf }: AppCoverage): string {
  const files = new Map<string, CountedPoint[]>();
  for (const point of points) {
    const { file, line } = point.place;
    if (file === undefined || line === undefined || isComponent(point)) continue;
    files.set(file, [...(files.get(file) ?? []), point]);
  }
  return [...files].map(([file, ofFile]) => printFile(pathOf(file), ofFile)).join('');
}

const COMPONENT_KINDS: ReadonlySet<PointKind> = new Set([
  'module',
  'rpc',
  'endpoint',
  'connection',
  'webhook',
]);

function isComponent({ kind }: CountedPoint): boolean {
  return COMPONENT_KINDS.has(kind);
}

function printFile(file: string, points: readonly CountedPoint[]): string {
  const lines = new Map<number, number>();
  const branches = points.filter(({ kind }) => kind === 'branch');
  for (const { kind, count, place } of points) {
    const line = place.line ?? 1;
    if (kind !== 'branch') lines.set(line, Math.max(lines.get(line) ?? 0, count));
  }
  const blocks = new Map<string, number>();
  const branchLines = branches.map(({ place, detail, count }) => {
    const key = `${place.line}:${place.column}:${place.pointer}`;
    const block = blocks.get(key) ?? blocks.size;
    blocks.set(key, block);
    return `BRDA:${place.line ?? 1},${block},${detail === 'true' ? 0 : 1},${count > 0 ? count : '-'}\n`;
  });
  const sorted = [...lines].sort(([a], [b]) => a - b);
  return [
    `TN:\nSF:${file}\n`,
    ...sorted.map(([line, count]) => `DA:${line},${count}\n`),
    `LF:${sorted.length}\nLH:${sorted.filter(([, count]) => count > 0).length}\n`,
    ...branchLines,
    `BRF:${branches.length}\nBRH:${branches.filter(({ count }) => count > 0).length}\n`,
    'end_of_record\n',
  ].join('');
}

/** Format of a `--coverage` value. */
export const COVERAGE_FORMAT: RegExp = /^(?:text|json|lcov)(?:=.+)?$/;

type Format = 'text' | 'json' | 'lcov';

const DEFAULT_FILES: Readonly<Record<Exclude<Format, 'text'>, string>> = {
  json: 'coverage/coverage.json',
  lcov: 'coverage/lcov.info',
};

interface Target {
  readonly format: Format;
  /** Undefined for standard output. */
  readonly file: string | undefined;
}

/** Coverage of a test run. */
export interface Coverage {
  readonly ofApp: (app: App, root: string) => CoverageCollector;
  readonly write: (io: Io) => Promise<void>;
}

/**
 * Collects coverage with `--coverage`.
 *
 * @throws EngineError (USAGE) for an unknown format
 */
export function openCoverage(args: Arguments, io: Io): Coverage | undefined {
  if (!args.isSet('coverage')) return undefined;
  const targets = args.texts('coverage').map((text): Target => readTarget(text, io));
  const collected: { readonly root: string; readonly collector: CoverageCollector }[] = [];
  return {
    ofApp: (app, root) => {
      const collector = collectCoverage(app);
      collected.push({ root, collector });
      return collector;
    },
    write: async () => {
      const apps = collected.map(
        ({ root, collector }): AppCoverage => ({
          points: collector.points(),
          pathOf: (file) => relativePath(io.cwd, path.join(root, file)) || file,
        }),
      );
      for (const { format, file } of targets) await put(print(format, apps), file, io);
    },
  };
}

function readTarget(text: string, io: Io): Target {
  const [name = '', ...rest] = (text === '' ? 'text' : text).split('=');
  const format = chooseWord('coverage', name, ['text', 'json', 'lcov']);
  const given = rest.join('=') || (format === 'text' ? undefined : DEFAULT_FILES[format]);
  return { format, file: given === undefined ? undefined : path.resolve(io.cwd, given) };
}

function print(format: Format, apps: readonly AppCoverage[]): string {
  if (format === 'text') return apps.map(printCoverageText).join('\n');
  if (format === 'lcov') return apps.map(printLcov).join('');
  return `${printPrettyJson({ apps: apps.map(describeCoverage) })}\n`;
}

async function put(text: string, file: string | undefined, io: Io): Promise<void> {
  if (file === undefined) {
    await io.stdout.write(printable(text));
    return;
  }
  await writeOutputFile('--coverage', { cwd: io.cwd, file, content: text });
}
