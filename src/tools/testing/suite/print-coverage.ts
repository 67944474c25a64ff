import type { CountedPoint, PointKind } from './coverage-points.js';

/** Coverage of one app, and how to print its paths. */
export interface AppCoverage {
  readonly points: readonly CountedPoint[];
  /** Converts a path relative to the app for the report. */
  readonly pathOf: (file: string) => string;
}

/** Reached and total number of points of a kind. */
export interface CoverageTotal {
  readonly kind: PointKind;
  readonly reached: number;
  readonly total: number;
}

const KINDS: readonly (readonly [kind: PointKind, plural: string])[] = [
  ...([
    ['module', 'modules'],
    ['rpc', 'RPCs'],
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
export function printCoverageText({ points, pathOf }: AppCoverage): string {
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
export function describeCoverage({ points, pathOf }: AppCoverage): unknown {
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
export function printLcov({ points, pathOf }: AppCoverage): string {
  const files = new Map<string, CountedPoint[]>();
  for (const point of points) {
    const { file, line } = point.place;
    if (file === undefined || line === undefined || isComponent(point)) continue;
    files.set(file, [...(files.get(file) ?? []), point]);
  }
  return [...files].map(([file, ofFile]) => printFile(pathOf(file), ofFile)).join('');
}

function isComponent({ kind }: CountedPoint): boolean {
  return kind === 'module' || kind === 'rpc' || kind === 'connection' || kind === 'webhook';
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
