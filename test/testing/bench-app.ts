import { writeApp } from '../app/temp-app.js';

/** A module of type search, or another type, with the cases of its tests. */
export interface BenchApp {
  readonly communication: unknown;
  readonly base?: unknown;
  readonly type?: string;
  readonly samples?: unknown;
  readonly interface?: unknown;
  /** Cases by name. */
  readonly cases?: Readonly<Record<string, BenchCase>>;
}

export interface BenchCase {
  /** Default: true. */
  readonly isRecorded?: boolean;
  readonly parameters?: unknown;
  readonly start?: string;
  readonly responses: readonly object[];
  readonly expect?: object;
}

/** Writes an app with the module `list`. */
export function writeBenchApp({
  communication,
  base,
  type = 'search',
  samples,
  interface: fields,
  cases = {},
}: BenchApp): string {
  const parts = { communication, samples, interface: fields };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  const codeFiles = Object.fromEntries(given.map(([name]) => [name, `${name}.imljson`]));
  return writeApp({
    'makecomapp.json': {
      generalCodeFiles: { base: 'base.imljson' },
      components: { module: { list: { label: 'List', moduleType: type, codeFiles } } },
    },
    'base.imljson': base ?? { baseUrl: 'https://api.example.com' },
    ...Object.fromEntries(given.map(([name, value]) => [`${name}.imljson`, value])),
    ...Object.fromEntries(
      Object.entries(cases).map(([name, one]) => [`tests/list/${name}.test.json`, writeCase(one)]),
    ),
  });
}

function writeCase({ isRecorded = true, parameters, start, responses, expect }: BenchCase): object {
  return {
    component: 'module:list',
    ...(isRecorded && { recorded: { at: '2026-11-21' } }),
    input: {
      ...(parameters !== undefined && { parameters, checkParameters: false }),
      ...(start && { start }),
    },
    exchanges: responses.map((response) => ({ request: { url: { $any: true } }, response })),
    expect: expect ?? { requestCount: responses.length },
  };
}
