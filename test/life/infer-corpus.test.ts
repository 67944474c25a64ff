import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadApp } from '../../src/index.js';
import { inferFields } from '../../src/tools/life/infer/infer-fields.js';
import { CORPUS, CORPUS_APPS } from '../corpus.js';

interface Field {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly spec?: readonly Field[] | Field;
}

/** Types of fields by their path; items of a list have the path of the list. */
function listTypes(fields: readonly Field[], prefix = ''): Map<string, string> {
  const types = new Map<string, string>();
  for (const { name, type, spec } of fields) {
    const at = `${prefix}${name}`;
    const item = Array.isArray(spec) ? undefined : (spec as Field | undefined);
    const inner = Array.isArray(spec) ? spec : item?.spec;
    types.set(
      at,
      item === undefined || item.type === 'collection' ? String(type) : `${type} of ${item.type}`,
    );
    for (const [path, other] of listTypes(Array.isArray(inner) ? inner : [], `${at}.`))
      types.set(path, other);
  }
  return types;
}

interface Comparison {
  readonly app: string;
  readonly field: string;
  readonly declared: string;
  /** Undefined if the sample has no such member. */
  readonly inferred: string | undefined;
}

/** Fields that a person declared, and the types that the sample of the module shows. */
async function compareFields(): Promise<readonly Comparison[]> {
  const all: Comparison[] = [];
  for (const app of CORPUS_APPS) {
    const { modules } = await loadApp(path.join(CORPUS, app));
    for (const { name, type, interface: declared, samples } of modules.values()) {
      // The response of a universal module is that of any request.
      if (type === 'universal' || !Array.isArray(declared?.value)) continue;
      const values: unknown[] = Array.isArray(samples?.value) ? samples.value : [samples?.value];
      const inferred = listTypes(inferFields(values) as readonly Field[]);
      for (const [field, written] of listTypes(declared.value as readonly Field[])) {
        all.push({
          app,
          field: `${name}.${field}`,
          declared: written,
          inferred: inferred.get(field),
        });
      }
    }
  }
  return all;
}

/** Differences that remain, and why. */
const EXPLAINED: Readonly<Record<string, string>> = {
  'integer from number': 'A few whole numbers do not show that all are whole; both types accept them.',
  'date from text': 'A date without a time stays text: it has no zone.',
  'date from any': 'The sample has null, which shows no type.',
};

describe('interfaces of the apps of the corpus', async () => {
  const fields = await compareFields();
  const known = fields.filter(({ inferred }) => inferred !== undefined);
  const different = known.filter(({ declared, inferred }) => declared !== inferred);
  const kindOf = ({ declared, inferred }: Comparison): string => `${declared} from ${inferred}`;

  it('differ from inferred ones only where samples cannot show what a person knows', () => {
    const unexplained = different.filter((one) => !Object.hasOwn(EXPLAINED, kindOf(one)));
    expect(unexplained).toEqual([]);
    expect(new Set(different.map(kindOf))).toEqual(new Set(Object.keys(EXPLAINED)));
  });

  it('have the inferred type for nine fields of ten, with whole numbers as numbers', () => {
    const isSame = ({ declared, inferred }: Comparison): boolean =>
      declared === inferred || kindOf({ declared, inferred } as Comparison) === 'integer from number';
    expect(known.length).toBeGreaterThan(40);
    expect((known.length - different.length) / known.length).toBeGreaterThan(0.85);
    expect(known.filter(isSame).length / known.length).toBeGreaterThan(0.95);
  });
});
