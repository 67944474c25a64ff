import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  parseForm as readParameters,
  type ValidateParametersOptions,
  validateParameters,
} from '../../src/engine/parameters/index.js';

interface Case {
  readonly id: string;
  readonly title: string;
  readonly spec: unknown;
  readonly values: unknown;
  readonly options?: CaseOptions;
  readonly expect?: unknown;
  readonly error?: { readonly paths: readonly string[]; readonly messages?: readonly string[] };
}

interface CaseOptions {
  readonly timezone?: string;
  readonly platformVersion?: 1 | 2;
  readonly applyDefaults?: boolean;
  readonly mapped?: boolean;
  readonly forcedEmpty?: readonly string[];
  readonly rpc?: Readonly<Record<string, unknown>>;
}

const FOLDER = new URL('../../spec-fixtures/parameters/', import.meta.url);

const topics = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({
    name,
    cases: JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'), revive) as readonly Case[],
  }));

/** `{"$date"}` and `{"$buffer"}` represent values JSON does not have. */
function revive(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$date' in value) return new Date(String(value.$date));
  if ('$buffer' in value) return new Uint8Array(Buffer.from(String(value.$buffer), 'base64'));
  return value;
}

function settings(options: CaseOptions = {}): ValidateParametersOptions {
  const { forcedEmpty, rpc, ...rest } = options;
  return {
    ...rest,
    isForcedEmpty: (path) => forcedEmpty?.includes(path) ?? false,
    ...(rpc && { resolveRpc: async ({ name }) => rpc[name] }),
  };
}

/** Compares buffers by content, regardless of their class. */
function plainBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(plainBytes);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainBytes(member)]));
}

describe.each(topics)('$name', ({ cases }) => {
  it.each(cases)('$id $title', async ({ spec, values, options, expect: expected, error }) => {
    const specs = readParameters(spec);
    const result = await validateParameters(specs, values, settings(options));
    if (error === undefined) {
      expect(result.ok ? plainBytes(result.values) : result.problems).toStrictEqual(expected);
      if (!result.ok) return;
      const again = await validateParameters(specs, result.values, settings(options));
      const escapes = JSON.stringify(spec)?.includes('"escape"') ?? false;
      if (!escapes) expect(again.ok && again.values).toStrictEqual(result.values);
    } else {
      if (result.ok) throw new Error(`Accepted: ${JSON.stringify(result.values)}`);
      expect(result.problems.map((problem) => problem.path)).toStrictEqual(error.paths);
      expect(result.error.type).toBe('BundleValidationError');
      expect(result.error.suberrors).toHaveLength(error.paths.length);
      if (error.messages)
        expect(result.problems.map((problem) => problem.message)).toStrictEqual(error.messages);
    }
  });
});

describe('the fixtures', () => {
  const all = topics.flatMap((topic) => topic.cases);

  it('are at least 120 with unique ids', () => {
    expect(all.length).toBeGreaterThanOrEqual(120);
    expect(new Set(all.map((one) => one.id)).size).toBe(all.length);
  });

  it('expect either values or an error', () => {
    expect(all.filter((one) => (one.expect === undefined) === (one.error === undefined))).toEqual([]);
  });
});
